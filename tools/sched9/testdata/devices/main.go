// Devices tells what it reads from standard input, and writes to a disk if there is
// one: its argument, at byte 1000.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

func main() {
	h := sha256.New()
	n, err := io.Copy(h, os.Stdin)
	fmt.Printf("read %d bytes %x, %v\n", n, h.Sum(nil), err)
	for _, name := range os.Args[1:] {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			fmt.Println(err)
			continue
		}
		_, err = f.WriteAt([]byte(name), 1000)
		fmt.Println(name, err, f.Sync(), f.Close())
	}
}
