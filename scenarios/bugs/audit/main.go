// Two accounts with a lock each, and an audit that adds them up. A transfer is two steps, and money is in neither account
// between them.
package main

import (
	"fmt"
	"os"
	"sync"
)

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) add(n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
	return a.balance
}

func transfer(from, to *account, n int) {
	from.add(-n)
	to.add(n)
}

func audit(a, b *account) int {
	return a.add(0) + b.add(0)
}

func main() {
	a, b := &account{balance: 100}, &account{balance: 100}
	var wg sync.WaitGroup
	wg.Go(func() {
		transfer(a, b, 30)
	})
	sum := audit(a, b)
	wg.Wait()
	if sum != 200 {
		fmt.Fprintln(os.Stderr, "wrong: the sum is", sum)
		os.Exit(1)
	}
	fmt.Println("the sum is 200")
}
