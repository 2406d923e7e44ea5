// Hello is the smallest whole program: it says where it runs and what reached it.
//
// Shows [U1] (a goroutine starts with the arguments of its call site) and that the machine below is
// as it was asked for: os.Args and the environment arrive byte for byte, NumCPU is the number of
// vCPUs, GOMAXPROCS follows its variable, standard output and standard error both reach the host,
// and the wall clock was read from the RTC. A program of one line would pass with any of these broken;
// expect.toml therefore requires every line, on every machine type.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

func main() {
	fmt.Printf("hello: from %s/%s, %s\n", runtime.GOOS, runtime.GOARCH, runtime.Version())
	fmt.Printf("hello: cpus=%d gomaxprocs=%d\n", runtime.NumCPU(), runtime.GOMAXPROCS(0))
	fmt.Printf("hello: args=%q\n", os.Args[1:])
	for _, name := range []string{"GREETING", "EMPTY", "ABSENT", "GOGC"} {
		value, set := os.LookupEnv(name)
		fmt.Printf("hello: env %s=%q set=%t\n", name, value, set)
	}

	// The argument is evaluated here, before word changes.
	word := "first"
	said := make(chan string)
	go func(w string) { said <- w }(word)
	word = "second"
	fmt.Printf("hello: the goroutine heard %q, the variable is now %q\n", <-said, word)

	now := time.Now()
	if now.Year() < 2020 || now.Year() > 2200 {
		fmt.Printf("hello: wrong: the wall clock says %v\n", now)
		os.Exit(1)
	}
	if later := time.Since(now); later < 0 {
		fmt.Printf("hello: wrong: the monotonic clock went back by %v\n", -later)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "hello: this line went to standard error")
	fmt.Println("hello: done")
}
