// Transfers between two accounts: the one with the smaller id is always locked first.
package main

import (
	"fmt"
	"sync"
)

type account struct {
	mu      sync.Mutex
	id      int
	balance int
}

func transfer(from, to *account, amount int) {
	first, second := from, to
	if first.id > second.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	from.balance -= amount
	to.balance += amount
}

func main() {
	a, b := &account{id: 1, balance: 100}, &account{id: 2, balance: 100}
	var wg sync.WaitGroup
	wg.Go(func() { transfer(a, b, 10) })
	wg.Go(func() { transfer(b, a, 20) })
	wg.Wait()
	fmt.Println(a.balance, b.balance)
}
