// Two accounts with one lock, which a transfer and an audit hold from beginning to end.
package main

import (
	"fmt"
	"os"
	"sync"
)

type account struct{ balance int }

var bank sync.Mutex // guards all accounts

func transfer(from, to *account, n int) {
	bank.Lock()
	defer bank.Unlock()
	from.balance -= n
	to.balance += n
}

func audit(a, b *account) int {
	bank.Lock()
	defer bank.Unlock()
	return a.balance + b.balance
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
