//go:build !linux

package qemu

import "os"

// memoryFile makes a file in the directory for temporary ones.
func memoryFile() (*os.File, error) { return os.CreateTemp("", Scratch("memory")) }

// fdPath is a name by which QEMU can open f.
func fdPath(f *os.File, _ int) string { return f.Name() }

// dropFile removes what memoryFile made.
func dropFile(f *os.File) { os.Remove(f.Name()) }
