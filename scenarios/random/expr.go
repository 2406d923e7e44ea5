package main

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// node is an expression: a block, its numbers, and what it is made of.
type node struct {
	name string
	n    []int
	subs []*node
}

// block is a kind of node.
type block struct {
	most   []int // its numbers are from 1 to these
	subs   int   // functions that it is made of
	repeat bool  // it calls them as often as its first number says
	rare   int   // not 0: only where it is called at most this often
	make   func(n []int, f []fn) fn
}

// String writes the expression as parse reads it.
func (e *node) String() string {
	words := []string{e.name}
	for _, n := range e.n {
		words = append(words, strconv.Itoa(n))
	}
	for _, s := range e.subs {
		words = append(words, s.String())
	}
	return "(" + strings.Join(words, " ") + ")"
}

// build makes the function that the expression is.
func (e *node) build() fn {
	f := make([]fn, len(e.subs))
	for i, s := range e.subs {
		f[i] = s.build()
	}
	return blocks[e.name].make(e.n, f)
}

// parse reads a program.
func parse(text string) (*node, error) {
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	e, rest, err := parseNode(words)
	switch {
	case err != nil:
		return nil, err
	case len(rest) > 0:
		return nil, fmt.Errorf("%q is too much", rest[0])
	case ends[e.name] == nil:
		return nil, fmt.Errorf("no program ends by %q", e.name)
	case len(e.n) > 0:
		return nil, fmt.Errorf("%s has no numbers", e.name)
	}
	for _, s := range e.subs {
		if err := s.check(); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// parseNode reads a node from the words and returns those behind it.
func parseNode(words []string) (*node, []string, error) {
	if len(words) < 2 || words[0] != "(" {
		return nil, nil, fmt.Errorf("an expression is (NAME NUMBER... EXPRESSION...)")
	}
	e := &node{name: words[1]}
	words = words[2:]
	for len(words) > 0 && words[0] != ")" {
		if n, err := strconv.Atoi(words[0]); err == nil && len(e.subs) == 0 {
			e.n, words = append(e.n, n), words[1:]
			continue
		}
		s, rest, err := parseNode(words)
		if err != nil {
			return nil, nil, err
		}
		e.subs, words = append(e.subs, s), rest
	}
	if len(words) == 0 {
		return nil, nil, fmt.Errorf("%s has no end", e.name)
	}
	return e, words[1:], nil
}

// check says what is wrong with a node that is no program.
func (e *node) check() error {
	b, ok := blocks[e.name]
	switch {
	case !ok:
		return fmt.Errorf("there is no block %q", e.name)
	case len(e.n) != len(b.most) || len(e.subs) != b.subs:
		return fmt.Errorf("%s takes %d numbers and %d functions", e.name, len(b.most), b.subs)
	}
	for i, n := range e.n {
		if n < 1 || n > b.most[i] {
			return fmt.Errorf("%s: %d is not one of 1 to %d", e.name, n, b.most[i])
		}
	}
	for _, s := range e.subs {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// most calls of the innermost functions in a program.
const budget = 400

// generate makes the program that seed decides.
func generate(seed uint64) *node {
	r := rand.New(rand.NewPCG(seed, 9))
	names := slices.Sorted(maps.Keys(ends))
	p := &node{name: names[r.IntN(len(names))]}
	if r.IntN(2) == 0 {
		p.name = "return"
	}
	n := 1 + r.IntN(4)
	for range n {
		p.subs = append(p.subs, grow(r, budget/n, 1, 0))
	}
	// Stock Go sees no deadlock while a timer of an hour is in a heap, and may leave it there
	// for some time after it was stopped.
	if text := p.String(); strings.Contains(text, "(stacks ") || strings.Contains(text, "(contexts ") {
		if p.name == "deadlock" || p.name == "goexit" {
			p.name = "return"
		}
	}
	return p
}

// grow makes an expression that may call its innermost parts left times, and is itself called often
// times, at this depth.
func grow(r *rand.Rand, left, often, depth int) *node {
	var names []string
	leaf := depth >= 6 || left < 2 || depth > 1 && r.IntN(4) == 0
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		if b := blocks[name]; leaf == (b.subs == 0) && (b.rare == 0 || often <= b.rare) {
			names = append(names, name)
		}
	}
	e := &node{name: names[r.IntN(len(names))]}
	b := blocks[e.name]
	for i, most := range b.most {
		if i == 0 && b.repeat {
			most = max(1, min(most, left/b.subs))
		}
		// Small numbers are as likely as large ones.
		n := 1 + r.IntN(1<<r.IntN(bits.Len(uint(most))))
		e.n = append(e.n, min(n, most))
	}
	if b.repeat {
		left, often = left/e.n[0], often*e.n[0]
	}
	for range b.subs {
		e.subs = append(e.subs, grow(r, left/b.subs, often, depth+1))
	}
	return e
}

// smaller are programs with one thing less than p.
func smaller(p *node) (all []*node) {
	for i, s := range p.subs {
		if len(p.subs) > 1 {
			q := *p
			q.subs = slices.Delete(slices.Clone(p.subs), i, i+1)
			all = append(all, &q)
		}
		for _, t := range s.less() {
			all = append(all, p.with(i, t))
		}
	}
	if p.name != "return" {
		all = append(all, &node{name: "return", subs: p.subs})
	}
	return all
}

// with is e with another i-th function.
func (e *node) with(i int, s *node) *node {
	f := *e
	f.subs = slices.Clone(e.subs)
	f.subs[i] = s
	return &f
}

// less are expressions with one thing less than e: one of its functions, a smaller
// number, or a function that is less itself.
func (e *node) less() (all []*node) {
	if len(e.subs) == 0 && e.name != "arith" {
		all = append(all, &node{name: "arith", n: []int{1}})
	}
	all = append(all, e.subs...)
	for i, n := range e.n {
		for _, m := range []int{1, n / 2, n - 1} {
			if m >= 1 && m < n {
				f := *e
				f.n = slices.Clone(e.n)
				f.n[i] = m
				all = append(all, &f)
			}
		}
	}
	for i, s := range e.subs {
		for _, t := range s.less() {
			all = append(all, e.with(i, t))
		}
	}
	return all
}
