// Output writes lines that a reader can check: each names its writer and its number, and ends in the same
// word.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	switch os.Args[1] {
	case "order":
		order()
	case "lines":
		lines()
	case "alive":
		alive()
	case "endless":
		endless()
	case "big":
		big()
	case "crash":
		debug.SetCrashOutput(os.Stdout, debug.CrashOptions{})
		panic("on purpose")
	}
}

// order writes to both outputs in turn, in all ways that there are.
func order() {
	for i := range 50 {
		fmt.Println("out", i)
		println("print", i)
		fmt.Fprintln(os.Stderr, "err", i)
		fmt.Print("half ")
		print("and ")
		syscall.Write(1, []byte("half "))
		fmt.Fprintln(os.Stderr, i)
	}
}

// text is a line of n letters and some.
func text(g, i, n int) string {
	return fmt.Sprintf("g%d %d %s end\n", g, i, strings.Repeat(string(rune('a'+i%26)), n))
}

// lines has goroutines write at once: short lines, long ones, many in one call, and one that is longer than
// any buffer. The argument says how many rounds of these.
func lines() {
	rounds, _ := strconv.Atoi(os.Args[2])
	const kinds = 6
	var wg sync.WaitGroup
	for g := range 2 * kinds {
		wg.Go(func() {
			next := 0
			line := func(n int) string {
				next++
				return text(g, next-1, n)
			}
			for range rounds {
				switch g % kinds {
				case 0:
					os.Stdout.WriteString(line(20))
				case 1:
					os.Stderr.WriteString(line(700))
				case 2:
					syscall.Write(1, []byte(line(3000)))
				case 3:
					println("g"+strconv.Itoa(g), next, "print", next, true, "end")
					next++
				case 4:
					var b bytes.Buffer
					for range 100 {
						b.WriteString(line(300))
					}
					os.Stdout.Write(b.Bytes())
				case 5:
					os.Stderr.WriteString(line(40_000))
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("done end")
}

// big writes so many bytes in one call.
func big() {
	n, _ := strconv.Atoi(os.Args[2])
	line := []byte("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n")
	os.Stdout.Write(bytes.Repeat(line, n/len(line)))
}

// alive writes more to standard output than all buffers on the way hold, and shows on standard error
// that other goroutines run.
func alive() {
	var wrote atomic.Bool
	go func() {
		os.Stdout.Write(make([]byte, 1<<20))
		wrote.Store(true)
	}()
	for i := range 20 {
		time.Sleep(time.Millisecond)
		fmt.Fprintln(os.Stderr, "alive", i, wrote.Load())
	}
	for !wrote.Load() {
		time.Sleep(time.Millisecond)
	}
}

// endless writes lines until somebody ends it, from all processors.
func endless() {
	for g := range 4 {
		go func() {
			for i := 0; ; i++ {
				fmt.Print(text(g, i, 50))
			}
		}()
	}
	select {}
}
