package main

import (
	"slices"
	"strings"
)

// Flags of go test, as `go help build`, `go help test` and `go help testflag` list them: those that are on when they stand
// alone, and those that have a value. What follows -args is the test's own.
var (
	testSwitches = strings.Fields(`a artifacts asan benchmem buildvcs c cover failfast fullpath i json linkshared modcacherw msan n race
		short trimpath v work x`)
	testValues = strings.Fields(`C asmflags bench benchtime blockprofile blockprofilerate buildmode compiler count covermode coverpkg
		coverprofile cpu cpuprofile exec fuzz fuzzminimizetime fuzztime gccgoflags gcflags installsuffix ldflags list memprofile
		memprofilerate mod modfile mutexprofile mutexprofilefraction o outputdir overlay p parallel pgo pkgdir run shuffle skip tags
		timeout toolexec trace vet`)
)

// testFlag reports how many of the arguments, of which the first is a flag, go test takes for it: 0 if it has none of this name.
func testFlag(args []string) int {
	name, _, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "=")
	name = strings.TrimPrefix(name, "test.")
	switch {
	case slices.Contains(testSwitches, name) || has && slices.Contains(testValues, name):
		return 1
	case slices.Contains(testValues, name):
		return min(2, len(args))
	}
	return 0
}

// packagesFirst moves go test's flags that stand before the packages behind these, where they mean the same.
func packagesFirst(args []string) []string {
	n := 0
	for n < len(args) && strings.HasPrefix(args[n], "-") {
		took := testFlag(args[n:])
		if took == 0 { // -args, or what go test will object to
			return args
		}
		n += took
	}
	end := n
	for end < len(args) && !strings.HasPrefix(args[end], "-") {
		end++
	}
	return slices.Concat(args[n:end], args[:n], args[end:])
}
