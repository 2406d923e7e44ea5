package kernel

import (
	"sched9/arch"
	"sched9/record"
)

// Linux's words of reboot(2): two that guard it, of which the second has four values, and what to do.
const (
	rebootMagic    = 0xfee1dead
	rebootRestart  = 0x01234567
	rebootRestart2 = 0xa1b2c3d4 // with a word for firmware, which is not passed on
	rebootHalt     = 0xcdef0123
	rebootOff      = 0x4321fedc
	rebootKeysOn   = 0x89abcdef // Ctrl-Alt-Del restarts at once, or is left to process 1: here no such keys come
	rebootKeysOff  = 0
)

// reboot is reboot: two guards, what to do, a word. The run ends with status 0 before the machine does what is asked: an emulator that is told the status
// ends with it, but for a restart, which it sees itself.
func reboot(x args) uintptr {
	switch uint32(x.b) {
	case 0x28121969, 0x05121996, 0x16041998, 0x20112000:
	default:
		return fail(eINVAL)
	}
	if uint32(x.a) != rebootMagic {
		return fail(eINVAL)
	}
	switch uint32(x.c) {
	case rebootKeysOn, rebootKeysOff:
		return 0
	case rebootOff:
		Exit(0)
	case rebootHalt:
		finish(0)
		note(record.EvEnd, 0, 0)
		if exitDev != nil {
			exitDev.Exit(0)
		}
		arch.Stop()
	case rebootRestart, rebootRestart2:
		on := mem.lock.Lock()
		arch.FindRestart()
		mem.lock.Unlock(on)
		finish(0)
		note(record.EvEnd, 0, 0)
		arch.Restart()
		Print("\nsched9: the machine does not restart\n")
		end(0)
	}
	return fail(eINVAL)
}
