// Channels uses channels in all their forms and checks every value that comes out.
//
// Shows [G4] (a waiting G is in exactly one wait structure: a value doubled or lost would show in a sum), [U1, U2], and the
// memory model's rule that a send happens before its receive. Each part below knows its result
// beforehand: the 100th prime is 541, a token that goes round a ring comes back incremented by every
// member, what the producers sent is what the consumers summed.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("channels: wrong: "+format+"\n", args...)
		os.Exit(1)
	}
}

// panics returns what f panics with, or "".
func panics(f func()) (text string) {
	defer func() {
		if e := recover(); e != nil {
			text = fmt.Sprint(e)
		}
	}()
	f()
	return ""
}

// basics checks the rules of the language that need no second goroutine.
func basics() {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	check(len(c) == 2 && cap(c) == 3, "len %d cap %d", len(c), cap(c))
	close(c)
	a, b := <-c, <-c
	z, open := <-c
	check(a == 1 && b == 2 && z == 0 && !open, "after close: %d %d %d %t", a, b, z, open)
	check(panics(func() { c <- 3 }) == "send on closed channel", "send on closed")
	check(panics(func() { close(c) }) == "close of closed channel", "close of closed")
	var none chan int
	check(panics(func() { close(none) }) == "close of nil channel", "close of nil")
	select {
	case <-none:
		check(false, "received from a nil channel")
	case none <- 1:
		check(false, "sent to a nil channel")
	case <-time.After(time.Millisecond):
	}
	fmt.Println("channels: buffer, close and nil channels keep the rules")
}

// sieve is Doug McIlroy's: a chain of filters, one goroutine for each prime.
func sieve(n int) int {
	in := make(chan int)
	quit := make(chan bool)
	go func(out chan<- int) {
		for i := 2; ; i++ {
			select {
			case out <- i:
			case <-quit:
				close(out)
				return
			}
		}
	}(in)
	prime := 0
	for range n {
		prime = <-in
		out := make(chan int)
		go func(in <-chan int, out chan<- int, prime int) {
			defer close(out)
			for i := range in {
				if i%prime != 0 {
					out <- i
				}
			}
		}(in, out, prime)
		in = out
	}
	close(quit)
	for range in { // until every filter has seen the end
	}
	return prime
}

// ring hands a token round members goroutines.
func ring(members, laps int) int {
	first := make(chan int)
	in := first
	for range members {
		out := make(chan int)
		go func(in <-chan int, out chan<- int) {
			defer close(out)
			for token := range in {
				out <- token + 1
			}
		}(in, out)
		in = out
	}
	token := 0
	for range laps {
		first <- token
		token = <-in
	}
	close(first)
	_, open := <-in
	check(!open, "the ring did not close")
	return token
}

// market runs producers against consumers; every item is unique, so a sum of squares finds a lost or doubled one.
func market(producers, consumers, items, room int) (share []int) {
	goods := make(chan uint64, room)
	share = make([]int, consumers)
	sums := make([]uint64, consumers)
	var making, taking sync.WaitGroup
	for p := range producers {
		making.Go(func() {
			for i := range items {
				goods <- uint64(p*items + i)
			}
		})
	}
	for c := range consumers {
		taking.Go(func() {
			last := make([]int, producers) // items of one producer arrive in order
			for g := range goods {
				p, i := int(g)/items, int(g)%items+1
				check(i > last[p], "item %d of producer %d after %d", i, p, last[p])
				last[p] = i
				sums[c] += g*g + 1
				share[c]++
			}
		})
	}
	making.Wait()
	close(goods)
	taking.Wait()
	var want, got uint64
	for g := range uint64(producers * items) {
		want += g*g + 1
	}
	for _, s := range sums {
		got += s
	}
	check(got == want, "the market's sum is %d, not %d", got, want)
	return share
}

// fairness selects among channels that are always ready.
func fairness(picks int) (count [4]int) {
	var c [4]chan int
	for i := range c {
		c[i] = make(chan int)
		close(c[i])
	}
	for range picks {
		select {
		case <-c[0]:
			count[0]++
		case <-c[1]:
			count[1]++
		case <-c[2]:
			count[2]++
		case <-c[3]:
			count[3]++
		}
	}
	for i, n := range count {
		check(n > picks/8, "select took case %d only %d times of %d", i, n, picks)
	}
	return count
}

// moved makes goroutines wait for values that are written into their stacks, and makes the collector move
// those stacks in the meantime.
func moved(n int) {
	ready, never := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	cs := make([]chan [8]uint64, n)
	for i := range cs {
		cs[i] = make(chan [8]uint64)
		wg.Go(func() {
			deep(200) // a large stack, now almost empty: the collector halves it
			ready <- true
			var v [8]uint64
			select {
			case v = <-cs[i]:
			case <-never:
			}
			for j := range v {
				check(v[j] == uint64(i*8+j), "a value went to the wrong place: %v", v)
			}
		})
	}
	for range n {
		<-ready
	}
	for range 3 {
		runtime.GC()
	}
	for i := range cs {
		var v [8]uint64
		for j := range v {
			v[j] = uint64(i*8 + j)
		}
		cs[i] <- v
	}
	wg.Wait()
}

//go:noinline
func deep(n int) int {
	var pad [64]int
	if n == 0 {
		return pad[0]
	}
	return deep(n-1) + pad[n%64] + 1
}

func main() {
	basics()
	prime := sieve(100)
	check(prime == 541, "the 100th prime is %d", prime)
	fmt.Println("channels: sieve: the 100th prime is 541")
	token := ring(400, 20)
	check(token == 8000, "the token is %d", token)
	fmt.Println("channels: ring: 400 goroutines, 20 laps, token 8000")
	for _, room := range []int{0, 1, 64} {
		fmt.Printf("channels: market: 4 producers, buffer %d, each consumer took %v\n", room, market(4, 3, 1000, room))
	}
	fmt.Printf("channels: select among 4 ready cases, 4000 times: %v\n", fairness(4000))
	moved(20)
	fmt.Println("channels: values found their way into stacks that had moved")
	fmt.Println("channels: done")
}
