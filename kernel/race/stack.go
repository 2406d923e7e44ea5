package race

import "unsafe"

// Stack names a stack of callers: equal ones have the same name. 0 is none.
type Stack uint32

// MaxStack is how many callers a stack has at most, the innermost ones.
const MaxStack = 16

// stackTable finds stacks by their callers: open addressing, doubled when it is half full.
type stackTable struct {
	dir        ref
	size, used uint32
}

// stack lies in the arena, with the callers behind it. An address of code is below 4 GiB, where the image is.
type stack struct {
	hash, n uint32
}

// firstStacks is the size of the first table, a power of two.
const firstStacks = 1 << 10

// init gives t its first table, of d's arena.
func (t *stackTable) init(d *Detector) {
	t.dir, t.size = d.alloc(firstStacks*unsafe.Sizeof(ref(0))), firstStacks
}

// slots are the table's entries.
func (t *stackTable) slots(d *Detector) []Stack {
	return unsafe.Slice((*Stack)(d.ptr(t.dir)), t.size)
}

// Stack returns the name of a stack. callers are return addresses, the innermost first.
func (d *Detector) Stack(callers []uintptr) Stack {
	if len(callers) == 0 {
		return 0
	}
	hash := uint32(len(callers))
	for _, pc := range callers {
		hash = (hash ^ uint32(pc)) * 0x9e3779b1
		hash ^= hash >> 15
	}
	t := &d.stacks
	all := t.slots(d)
	i := hash & (t.size - 1)
	for ; all[i] != 0; i = (i + 1) & (t.size - 1) {
		if s := (*stack)(d.ptr(ref(all[i]))); s.hash == hash && s.n == uint32(len(callers)) && same(d.Callers(all[i]), callers) {
			return all[i]
		}
	}
	s := Stack(d.alloc(unsafe.Sizeof(stack{}) + uintptr(len(callers))*4))
	*(*stack)(d.ptr(ref(s))) = stack{hash, uint32(len(callers))}
	for i, pc := range callers {
		d.Callers(s)[i] = uint32(pc)
	}
	all[i] = s
	if t.used++; t.used > t.size/2 {
		t.grow(d)
	}
	return s
}

// same reports whether two lists of callers are equal.
func same(a []uint32, b []uintptr) bool {
	for i := range a {
		if uintptr(a[i]) != b[i] {
			return false
		}
	}
	return true
}

// grow doubles the table. The old one is left: all of them together are no larger than the new one.
func (t *stackTable) grow(d *Detector) {
	old := t.slots(d)
	t.size *= 2
	t.dir = d.alloc(uintptr(t.size) * unsafe.Sizeof(ref(0)))
	all := t.slots(d)
	for _, s := range old {
		if s != 0 {
			i := (*stack)(d.ptr(ref(s))).hash & (t.size - 1)
			for all[i] != 0 {
				i = (i + 1) & (t.size - 1)
			}
			all[i] = s
		}
	}
}

// Callers returns the callers of a stack, the innermost first.
func (d *Detector) Callers(s Stack) []uint32 {
	if s == 0 {
		return nil
	}
	h := (*stack)(d.ptr(ref(s)))
	return unsafe.Slice((*uint32)(d.ptr(ref(s)+1)), h.n)
}
