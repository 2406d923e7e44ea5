// Package cgo needs cgo.
package cgo

import "C"
