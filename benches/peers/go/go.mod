module pointsman/peers

go 1.24.0

require (
	dubbo.apache.org/dubbo-go/v3 v3.3.1
	github.com/dubbogo/gost v1.14.3
	gopkg.in/yaml.v2 v2.4.0
)
