// Reboot asks for what its argument says, by reboot(2).
package main

import (
	"fmt"
	"os"
	"syscall"
)

func main() {
	what, ok := map[string]int{
		"restart": syscall.LINUX_REBOOT_CMD_RESTART, "off": syscall.LINUX_REBOOT_CMD_POWER_OFF, "halt": syscall.LINUX_REBOOT_CMD_HALT,
		"sleep": syscall.LINUX_REBOOT_CMD_SW_SUSPEND,
	}[os.Args[1]]
	if !ok {
		os.Exit(2)
	}
	fmt.Println("reboot: keys:", syscall.Reboot(syscall.LINUX_REBOOT_CMD_CAD_OFF))
	_, _, e := syscall.RawSyscall(syscall.SYS_REBOOT, syscall.LINUX_REBOOT_MAGIC1, 1, uintptr(what))
	fmt.Println("reboot: without a guard:", e)
	_, _, e = syscall.RawSyscall(syscall.SYS_REBOOT, 1, syscall.LINUX_REBOOT_MAGIC2, uintptr(what))
	fmt.Println("reboot: without the other:", e)
	fmt.Println("reboot:", syscall.Reboot(what))
}
