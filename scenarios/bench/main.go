// Bench measures operations of a Go program's scheduler, the same way on sched9 and on Linux: there as any program, or
// as the first process of a machine that has nothing else. What `sched9 bench` boots.
//
// Each result is a line, "bench: " and an object in JSON; docs/bench.md says what the fields mean. Under -icount a
// nanosecond is an instruction.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
)

var (
	which   = flag.String("ops", ".", "measure operations whose name matches `REGEXP`")
	samples = flag.Int("samples", 3, "take `N` samples of each operation that is done many times in one")
	rounds  = flag.Int("rounds", 3, "take `N` samples of each operation that measures itself")
	scale   = flag.Int("scale", 100, "do `PERCENT` of the usual number of operations in a sample")
	forever = flag.String("forever", "", "do nothing but operation `NAME`, until somebody ends it")
	list    = flag.Bool("list", false, "print the operations' names, and end")
)

// result is what is printed of an operation.
type result struct {
	Op      string    `json:"op"`
	Unit    string    `json:"unit"`
	CPUs    int       `json:"cpus"`  // that the program sees
	Procs   int       `json:"procs"` // GOMAXPROCS while it was measured
	N       int       `json:"n"`     // operations in a sample
	Samples []float64 `json:"samples"`
}

// about is the first line: the system, the toolchain and the machine.
type about struct {
	Op     string `json:"op"` // "start"
	System string `json:"system"`
	Go     string `json:"go"`
	CPUs   int    `json:"cpus"`
	Clock  string `json:"clock,omitempty"` // Linux's clock source
	Total  uint64 `json:"total"`           // bytes of memory that the kernel has to give, 0 if it does not say
	Free   uint64 `json:"free"`            // of these, bytes that are free
}

func main() {
	start := begin()
	emit(start)
	flag.Parse()
	re, err := regexp.Compile(*which)
	if err != nil || *samples < 1 || *rounds < 1 || *scale < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bench: -ops wants a regular expression, -samples, -rounds and -scale at least 1, and nothing else")
		end(2)
	}
	switch {
	case *list:
		for _, o := range ops {
			fmt.Println(o.name)
		}
		end(0)
	case *forever != "":
		repeat(*forever)
		end(2)
	}
	for _, o := range ops {
		if !re.MatchString(o.name) {
			continue
		}
		runtime.GC() // so that garbage of earlier operations is not collected during this one
		if r, ok := o.result(); ok {
			emit(r)
		}
	}
	emit(struct {
		Op string `json:"op"`
	}{"end"})
	end(0)
}

// emit prints a line.
func emit(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers that are none
	}
	fmt.Printf("bench: %s\n", b)
}
