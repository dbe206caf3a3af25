// Keeps a call in its area, as plugins/area-code does in Rust: who has the caller's area code is kept.
//
// The area is the attachment `areaCode`, else the consumer's parameter of that name; the rule's `key` names another.
package main

// #cgo CFLAGS: -I../../plugins/api/include
// #include "plugin.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"runtime/cgo"
	"unsafe"
)

// router is one rule's; index is value → the providers that have it.
type router struct{ key string }
type index map[string][]int

//export goRouterNew
func goRouterNew(call unsafe.Pointer, config C.pm_bytes, out *C.uintptr_t) (code C.int32_t) {
	defer caught(call, &code)
	texts := map[string]string{}
	if err := json.Unmarshal(bytesOf(config), &texts); err != nil {
		return fail(call, C.PM_E_CONFIG, err.Error())
	}
	key, ok := texts["key"]
	if !ok {
		key = "areaCode"
	}
	*out = C.uintptr_t(cgo.NewHandle(router{key}))
	return 0
}

//export goSnapshotNew
func goSnapshotNew(call unsafe.Pointer, handle C.uintptr_t, providers C.pm_bytes, out *C.uintptr_t) (code C.int32_t) {
	defer caught(call, &code)
	list, err := read(bytesOf(providers), C.PM_KIND_PROVIDERS)
	if err != nil {
		return fail(call, C.PM_E_BADBLOB, err.Error())
	}
	key, found := cgo.Handle(handle).Value().(router).key, index{}
	for position := 0; position < list.items(); position++ {
		if area, ok := list.parameter(list.provider(position), key); ok {
			found[area] = append(found[area], position)
		}
	}
	*out = C.uintptr_t(cgo.NewHandle(found))
	return 0
}

//export goRoute
func goRoute(call unsafe.Pointer, handle, snapshot C.uintptr_t, consumer, request C.pm_bytes, out *C.uint64_t, words C.uint32_t) (code C.int32_t) {
	defer caught(call, &code)
	key := cgo.Handle(handle).Value().(router).key
	this, err := read(bytesOf(request), C.PM_KIND_CALL)
	if err != nil {
		return fail(call, C.PM_E_BADBLOB, err.Error())
	}
	area, ok := this.parameter(this.call(), "@"+key)
	if caller, err := read(bytesOf(consumer), C.PM_KIND_CONSUMER); !ok && err == nil {
		area, ok = caller.parameter(caller.provider(0), key)
	}
	if !ok {
		return C.PM_PASS
	}
	kept := make([]uint64, words)
	for _, position := range cgo.Handle(snapshot).Value().(index)[area] {
		kept[position/64] |= 1 << (position % 64)
	}
	for at, word := range unsafe.Slice((*uint64)(unsafe.Pointer(out)), words) {
		kept[at] &= word
	}
	copy(unsafe.Slice((*uint64)(unsafe.Pointer(out)), words), kept)
	explain(call, fmt.Sprintf("kept the providers of area `%s`", area))
	return C.PM_USE
}

//export goRelease
func goRelease(handle C.uintptr_t) { cgo.Handle(handle).Delete() }

// caught turns a panic into an error: none may cross into the host.
func caught(call unsafe.Pointer, code *C.int32_t) {
	if panicked := recover(); panicked != nil {
		*code = fail(call, C.PM_E_PANIC, fmt.Sprint(panicked))
	}
}

func fail(call unsafe.Pointer, code C.int32_t, text string) C.int32_t {
	C.plugin_fail(call, code, (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
	return code
}

func explain(call unsafe.Pointer, text string) {
	C.plugin_explain(call, (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
}

func bytesOf(bytes C.pm_bytes) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(bytes.ptr)), bytes.len) }

func main() {}
