// Sleep says that it begins, sleeps for as long as its argument says, and ends.
package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	d, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println("begin")
	time.Sleep(d)
	fmt.Println("end")
}
