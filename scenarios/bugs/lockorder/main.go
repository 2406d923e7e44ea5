// Transfers between two accounts: each locks the account that it takes from, then the other one. Two transfers in
// opposite directions lock in opposite orders.
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
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
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
