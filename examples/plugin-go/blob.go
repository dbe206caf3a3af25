package main

// #include "plugin.h"
import "C"

import (
	"encoding/binary"
	"errors"
)

// blob is what the host lends: providers, a consumer, or a call. What lies outside reads as absent.
type blob struct {
	bytes []byte
	kind  uint16
}

// run is an item's parameters: the first of them, and how many they are.
type run struct{ first, count uint32 }

const (
	providerBytes = C.sizeof_pm_provider
	pairBytes     = 8 // of params, and of strings
)

func read(bytes []byte, kind uint16) (blob, error) {
	it := blob{bytes, kind}
	if it.word(0) != C.PM_BLOB_MAGIC || it.word(4) != uint32(C.PM_BLOB_LAYOUT)|uint32(kind)<<16 {
		return it, errors.New("the blob cannot be read")
	}
	return it, nil
}

func (it blob) word(at uint64) uint32 {
	if at+4 > uint64(len(it.bytes)) {
		return 0
	}
	return binary.LittleEndian.Uint32(it.bytes[at:])
}

func (it blob) items() int { return int(it.word(20)) }

func (it blob) provider(position int) run {
	at := uint64(it.word(24)) + uint64(position)*providerBytes
	return run{it.word(at + 20), it.word(at + 24)}
}

func (it blob) call() run {
	at := uint64(it.word(24))
	return run{it.word(at), it.word(at + 4)}
}

func (it blob) text(number uint32) string {
	at := uint64(it.word(40)) + uint64(number)*pairBytes
	from := uint64(it.word(44)) + uint64(it.word(at))
	end := from + uint64(it.word(at+4))
	if number >= it.word(36) || end > uint64(len(it.bytes)) {
		return ""
	}
	return string(it.bytes[from:end])
}

func (it blob) parameter(of run, key string) (string, bool) {
	for place := of.first; place < of.first+of.count && place < it.word(28); place++ {
		at := uint64(it.word(32)) + uint64(place)*pairBytes
		if it.text(it.word(at)) == key {
			return it.text(it.word(at + 4)), true
		}
	}
	return "", false
}
