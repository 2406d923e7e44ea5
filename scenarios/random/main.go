// Random is as many programs as there are numbers: the first argument is a number, or an expression.
//
// Shows that a program's results do not depend on its schedule, with all of Go's means of concurrency: channels, select, locks,
// conditions, timers, contexts, panics, Goexit, collections, finalizers, weak pointers, deep stacks, coroutines, LockOSThread, GOMAXPROCS,
// endless loops, and profiles beside them [U1 to U8, G1 to G6, T1, A2, M6, P4, P5]. A program is an expression: each block is a function
// of one number whose value no schedule changes, made of other such functions that it calls on goroutines of its own. Its standard output,
// its exit status and the first line of a fatal error are the same wherever it runs: sched9 soak -random runs each with stock Go on the
// host first, and then boots it.
//
//	random 4711                                a program that the number decides
//	random '(return (pool 20 3 (maps 7)))'     this one
//	random show 4711                           prints the program of the number
//	random smaller '(return ...)'              prints programs that are a little smaller
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// fn is what a block is.
type fn = func(x uint64) uint64

// mix spreads x over all bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sum adds numbers in any order.
type sum struct{ atomic.Uint64 }

// add adds x.
func (s *sum) add(x uint64) { s.Add(mix(x)) }

// wrongs are the checks that failed; at most a few are kept.
var wrongs struct {
	sync.Mutex
	list []string
}

// wrong notes a check that failed.
func wrong(format string, a ...any) {
	wrongs.Lock()
	defer wrongs.Unlock()
	if len(wrongs.list) < 10 {
		wrongs.list = append(wrongs.list, fmt.Sprintf(format, a...))
	}
}

// usage ends the program because its arguments mean nothing.
func usage(err error) {
	fmt.Fprintln(os.Stderr, "random:", err)
	os.Exit(64)
}

// program is what the arguments ask for: an expression, or a number.
func program(args []string) *node {
	text := strings.Join(args, " ")
	if seed, err := strconv.ParseUint(text, 10, 64); err == nil {
		return generate(seed)
	}
	// A soak of all scenarios takes one of the programs that end by themselves.
	if seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil && text == "" {
		p := generate(seed)
		p.name = "return"
		return p
	}
	p, err := parse(text)
	if err != nil {
		usage(err)
	}
	return p
}

func main() {
	args := os.Args[1:]
	if len(args) > 0 {
		switch args[0] {
		case "show":
			fmt.Println(program(args[1:]))
			return
		case "smaller":
			for _, p := range smaller(program(args[1:])) {
				fmt.Println(p)
			}
			return
		}
	}
	p := program(args)
	fmt.Println("random:", p)
	values := make([]uint64, len(p.subs))
	var wg sync.WaitGroup
	for i, sub := range p.subs {
		f := sub.build()
		wg.Go(func() { values[i] = f(mix(uint64(i))) })
	}
	wg.Wait()
	for i, v := range values {
		fmt.Printf("random: %d: %016x\n", i, v)
	}
	for _, w := range wrongs.list {
		fmt.Println("random: wrong:", w)
	}
	fmt.Println("random: done")
	ends[p.name]()
}
