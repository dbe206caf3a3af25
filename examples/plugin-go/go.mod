module areacode

go 1.21
