// Memory takes most of the machine's memory, gives it back, and takes it again, several times over.
//
// Shows, of the kernel's promises to the runtime: demand-zero paging, frames that return when the runtime
// gives pages back (munmap, MADV_DONTNEED) and really come zeroed, mappings that other vCPUs forget, and
// an end with a clear message when nothing is left. The proof: in sum the rounds take several times
// the machine's memory, so a frame that did not come back would be missed; each page is looked at before
// it is written and must be zero; each is stamped with its owner and looked at again when all is full,
// so a frame given to two pages, or a stale entry in another vCPU's TLB, shows as a foreign stamp.
//
//	memory fill MIB ROUNDS   the above
//	memory oom MIB           takes memory for ever; MIB is the most it takes, for machines that have more
//	memory big MIB           the same in one piece
//	memory huge              one piece larger than the address space
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

const page = 4096

// number returns argument i, or other when there is none.
func number(i, other int) int {
	if len(os.Args) > i {
		if n, err := strconv.Atoi(os.Args[i]); err == nil {
			return n
		}
	}
	return other
}

// stamp writes to both ends of every page, after it has seen that the page is zero.
func stamp(b []byte, owner uint64) {
	for i := 0; i < len(b); i += page {
		for j := i; j < i+page; j += 256 {
			if b[j] != 0 {
				fmt.Printf("memory: wrong: new memory has %#x at offset %d of piece %#x\n", b[j], j, owner)
				os.Exit(1)
			}
		}
		put(b[i:], owner+uint64(i))
		put(b[i+page-8:], ^(owner + uint64(i)))
	}
}

func check(b []byte, owner uint64) {
	for i := 0; i < len(b); i += page {
		if get(b[i:]) != owner+uint64(i) || get(b[i+page-8:]) != ^(owner+uint64(i)) {
			fmt.Printf("memory: wrong: page at offset %d of piece %#x holds %#x\n", i, owner, get(b[i:]))
			os.Exit(1)
		}
	}
}

func put(b []byte, v uint64) {
	for i := range 8 {
		b[i] = byte(v >> (8 * i))
	}
}

func get(b []byte) (v uint64) {
	for i := range 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// round has one goroutine for each P take its share in pieces of many sizes.
func round(mib, number int) (pieces int) {
	procs := runtime.GOMAXPROCS(0)
	share := mib << 20 / procs
	held := make([][][]byte, procs)
	owner := func(p, i int) uint64 { return uint64(number)<<56 | uint64(p)<<48 | uint64(i)<<32 }
	var wg sync.WaitGroup
	for p := range procs {
		wg.Go(func() {
			for taken, i := 0, 0; taken < share; i++ {
				size := min([...]int{1 << 20, 64 << 10, 2 << 20, page, 256 << 10}[i%5], share-taken)
				size = (size + page - 1) &^ (page - 1)
				b := make([]byte, size)
				stamp(b, owner(p, i))
				held[p] = append(held[p], b)
				taken += size
			}
		})
	}
	wg.Wait()
	for p := range procs { // each share is looked at by a goroutine that did not write it
		pieces += len(held[p])
		wg.Go(func() {
			for i, b := range held[(p+1)%procs] {
				check(b, owner((p+1)%procs, i))
			}
		})
	}
	wg.Wait()
	return pieces
}

func fill(mib, rounds int) {
	var m runtime.MemStats
	for n := range rounds {
		begin := time.Now()
		pieces := round(mib, n+1)
		took := time.Since(begin)
		debug.FreeOSMemory()
		runtime.ReadMemStats(&m)
		fmt.Printf("memory: round %d: %d MiB in %d pieces, %v; then held %d KiB, given back %d KiB\n",
			n+1, mib, pieces, took.Round(time.Millisecond), (m.HeapSys-m.HeapReleased)>>10, m.HeapReleased>>10)
	}
	if back := m.HeapReleased >> 20; back < uint64(mib)/2 {
		fmt.Printf("memory: wrong: the runtime gave back only %d MiB\n", back)
		os.Exit(1)
	}
	fmt.Printf("memory: %d MiB taken in sum\n", mib*rounds)
}

var held [][]byte

func main() {
	how := "fill"
	if len(os.Args) > 1 {
		how = os.Args[1]
	}
	fmt.Printf("memory: %s on %d vCPUs\n", how, runtime.NumCPU())
	switch mib := number(2, 64); how {
	case "fill":
		fill(mib, number(3, 6))
	case "oom":
		for i := range mib {
			b := make([]byte, 1<<20)
			stamp(b, uint64(i)<<32)
			held = append(held, b)
			if i%16 == 15 {
				fmt.Printf("memory: has %d MiB\n", i+1)
			}
		}
		fmt.Println("memory: this machine has more than that")
	case "big":
		held = append(held, make([]byte, mib<<20))
		stamp(held[0], 0)
		fmt.Println("memory: this machine has more than that")
	case "huge":
		size := 1 << 47
		held = append(held, make([]byte, size))
		fmt.Println("memory: wrong: there is no room for that")
		os.Exit(1)
	default:
		fmt.Printf("memory: no way %q\n", how)
		os.Exit(64)
	}
	fmt.Println("memory: done")
}
