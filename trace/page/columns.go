package page

import (
	"encoding/binary"
	"slices"
)

// columns are lists of numbers, one after another in data, each number a varint:
// small ones, which are most, take a byte, and what repeats is left to the
// compression.
type columns struct {
	dir  map[string]column
	data []byte
}

// column says where a list is.
type column struct {
	N     int  `json:"n"`
	At    int  `json:"at"`              // of data
	Delta bool `json:"delta,omitempty"` // numbers are differences to the one before, zigzag
}

// add adds a list of n numbers, none of them below zero.
func (c *columns) add(name string, n int, at func(i int) uint64) {
	c.begin(name, n, false)
	for i := range n {
		c.data = binary.AppendUvarint(c.data, at(i))
	}
}

// addDelta adds a list of n numbers that are near each other.
func (c *columns) addDelta(name string, n int, at func(i int) int64) {
	c.begin(name, n, true)
	prev := int64(0)
	for i := range n {
		v := at(i)
		c.data = binary.AppendVarint(c.data, v-prev)
		prev = v
	}
}

// begin notes where a list begins.
func (c *columns) begin(name string, n int, delta bool) {
	if c.dir == nil {
		c.dir = map[string]column{}
	}
	c.dir[name] = column{N: n, At: len(c.data), Delta: delta}
	c.data = slices.Grow(c.data, n)
}

// table gives strings numbers. Number 0 is "".
type table struct {
	list  []string
	index map[string]uint64
}

// number is the number of s.
func (t *table) number(s string) uint64 {
	if t.index == nil {
		t.list, t.index = []string{""}, map[string]uint64{"": 0}
	}
	n, ok := t.index[s]
	if !ok {
		n = uint64(len(t.list))
		t.list = append(t.list, s)
		t.index[s] = n
	}
	return n
}
