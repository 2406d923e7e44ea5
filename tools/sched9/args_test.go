package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"run -smp 4 ./x", "run --smp 4 ./x"},
		{"run -smp=4 -icount ./x", "run --smp=4 --icount ./x"},
		{"run --smp 4 ./x", "run --smp 4 ./x"},
		{"run -env A=b -env -C=d ./x -smp 9", "run --env A=b --env -C=d ./x -smp 9"},
		{"run -v -counters x -v -- --smp", "run -v --counters x -v -- --smp"},
		{"run -verbose x", "run --verbose x"},
		{"run -- -smp", "run -- -smp"},
		{"run -h", "run -h"},
		{"run -help", "run --help"},
		{"-help", "--help"},
		{"run -nonsense ./x", "run --nonsense ./x"},
		{"run -timeout 5s a.go b.go -x", "run --timeout 5s a.go b.go -x"},
		{"build -o out -format multiboot ./x -arch amd64", "build -o out --format multiboot ./x --arch amd64"},
		{"test -run ^x -j 2 -j4 -C dir -json -list", "test --run ^x -j 2 -j4 -C dir --json --list"},
		{"test -run -list", "test --run -list"},
		{"soak -boots 3 -seed 4", "soak --boots 3 --seed 4"},
		{"gotest -v -smp 2 -run X -timeout 5s ./a -short", "gotest --smp 2 --timeout 5s -- -v -run X ./a -short"},
		{"gotest -test.count=3 -cover", "gotest -- -test.count=3 -cover"},
		{"gotest -v -args -smp 4", "gotest -- -v -args -smp 4"},
		{"gotest -v -smp 2 -- -short", "gotest --smp 2 -- -v -short"},
		{"gotest -nonsense -v ./a", "gotest --nonsense -- -v ./a"},
		{"gotest ./a -v", "gotest ./a -v"},
		{"help run", "help run"},
		{"nothing -smp", "nothing --smp"},
	} {
		got := normalize(newRoot(streams{io.Discard, io.Discard}), strings.Fields(c.in))
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%q: got %q, want %q", c.in, got, strings.Fields(c.want))
		}
	}
}
