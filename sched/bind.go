package sched

// Sched calls its machine and the runtime by these two types. On the host they are the interfaces, and a
// test binds a model. In an image there is only one machine and one runtime, and package goruntime puts a file in this
// one's place in which both are types without a value: their methods call the kernel's and package
// runtime's functions directly, which saves an interface call each. That file is made from the two
// interfaces, so it has the same methods; that the kernel and package runtime have them too is asserted
// there, and their compiler says so.
type (
	boundMachine = Machine
	boundRuntime = Runtime
)

// bind makes s use machine and rt. It is called once, before Init; in an image there is nothing to bind.
func (s *Sched) bind(machine Machine, rt Runtime) {
	s.machine = machine
	s.rt = rt
}
