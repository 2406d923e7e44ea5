// Package arch is the seam between the portable kernel and the architecture:
// each architecture's package defines these names (README.md lists them), and
// one file here forwards to it. What a name does, in which context it may be
// called and where it comes from is said at the function that it forwards to.
package arch

import (
	"unsafe"

	"sched9/arch/arm64"
	"sched9/arch/paging"
)

const (
	MaxCPU   = arm64.MaxCPU
	PageSize = arm64.PageSize
	HugeSize = arm64.HugeSize
	NumLines = arm64.NumLines
	UserLow  = arm64.UserLow

	FaultStack = arm64.FaultStack

	FaultOther      = arm64.FaultOther
	FaultPage       = arm64.FaultPage
	FaultAddress    = arm64.FaultAddress
	FaultDivide     = arm64.FaultDivide
	FaultFloat      = arm64.FaultFloat
	FaultIllegal    = arm64.FaultIllegal
	FaultBreakpoint = arm64.FaultBreakpoint
	FaultNMI        = arm64.FaultNMI

	Read  = arm64.Read
	Store = arm64.Store
	Fetch = arm64.Fetch
)

type (
	Frame  = arm64.Frame
	Kind   = arm64.Kind
	Access = arm64.Access
	Stacks = arm64.Stacks
	APArg  = arm64.APArg

	PCIFunction = arm64.PCIFunction
)

// Traps.
func InitEarly()          { arm64.InitEarly() }
func SetStacks(st Stacks) { arm64.SetStacks(st) }
func SetIRQG(g uintptr)   { arm64.SetIRQG(g) }

// Time, the thread pointer, memory contents, randomness.
func InitClock() bool                                        { return arm64.InitClock() }
func Nanotime() int64                                        { return arm64.Nanotime() }
func ClockScale() (base, mult uint64)                        { return arm64.ClockScale() }
func ClockError() (ppm uint64, ok bool)                      { return arm64.ClockError() }
func SetTimer(ns int64)                                      { arm64.SetTimer(ns) }
func StopTimer()                                             { arm64.StopTimer() }
func Zero(p, n uintptr)                                      { arm64.Zero(p, n) }
func Copy(to, from unsafe.Pointer, n uintptr) (left uintptr) { return arm64.Copy(to, from, n) }
func Load(p unsafe.Pointer) (v uint32, ok bool)              { return arm64.Load(p) }
func Random() (uint64, bool)                                 { return arm64.Random() }
func HWCap() uintptr                                         { return arm64.HWCap() }

// What the boot loader left.
func ReadLoader() (wrong string)     { return arm64.ReadLoader() }
func Cmdline() uintptr               { return arm64.Cmdline() }
func RAM(fn func(start, end uint64)) { arm64.RAM(fn) }
func Module() (start, end uint64)    { return arm64.Module() }
func Image() (start, end uint64)     { return arm64.Image() }

// Fixed tells of memory that is used at fixed addresses.
func Fixed(fn func(start, end uint64, what string)) { arm64.Fixed(fn) }

// BootStack is the kernel's first stack.
func BootStack() uintptr { return arm64.BootStack() }

// Processors.
func FindCPUs() int                  { return arm64.FindCPUs() }
func NumCPU() int                    { return arm64.NumCPU() }
func StartCPU(id int, a *APArg) bool { return arm64.StartCPU(id, a) }
func NoG() uintptr                   { return arm64.NoG() }
func RestartCPU(id int, a *APArg)    { arm64.RestartCPU(id, a) }
func ID() int                        { return arm64.ID() }

// Interrupts to other processors.
func Kick(id int)        { arm64.Kick(id) }
func SendPreempt(id int) { arm64.SendPreempt(id) }
func SendFlush(id int)   { arm64.SendFlush(id) }
func SendNMI(id int)     { arm64.SendNMI(id) }

// This processor's interrupts, and waiting for one.
func SaveIRQ() uintptr      { return arm64.SaveIRQ() }
func RestoreIRQ(on uintptr) { arm64.RestoreIRQ(on) }
func EnableIRQ()            { arm64.EnableIRQ() }
func DisableIRQ()           { arm64.DisableIRQ() }
func Halt()                 { arm64.Halt() }
func Stop()                 { arm64.Stop() }
func Pause()                { arm64.Pause() }

// Physical memory and page tables.
func Phys(pa uint64) uintptr { return arm64.Phys(pa) }
func MapRAM(end uint64) bool { return arm64.MapRAM(end) }
func Pages() *paging.Tables  { return arm64.Pages() }
func FlushTLB()              { arm64.FlushTLB() }

// Devices: their registers, finding them, and their interrupts.
func Device(pa uint64, n uintptr) uintptr              { return arm64.Device(pa, n) }
func Read8(addr uintptr) uint8                         { return arm64.Read8(addr) }
func Read16(addr uintptr) uint16                       { return arm64.Read16(addr) }
func Read32(addr uintptr) uint32                       { return arm64.Read32(addr) }
func Write8(addr uintptr, v uint8)                     { arm64.Write8(addr, v) }
func Write16(addr uintptr, v uint16)                   { arm64.Write16(addr, v) }
func Write32(addr uintptr, v uint32)                   { arm64.Write32(addr, v) }
func FindPCI(n int, ids ...uint32) (PCIFunction, bool) { return arm64.FindPCI(n, ids...) }
func ConnectMSIX(f PCIFunction, entry, line int) bool  { return arm64.ConnectMSIX(f, entry, line) }
func FindVirtio(n int) (base uintptr, ok bool)         { return arm64.FindVirtio(n) }
func Serial() uintptr                                  { return arm64.Serial() }
func ConnectSerial(line int) bool                      { return arm64.ConnectSerial(line) }
func Clock() uintptr                                   { return arm64.Clock() }
func PowerOff(status uint64)                           { arm64.PowerOff(status) }
func ConnectVirtio(n, line int) bool                   { return arm64.ConnectVirtio(n, line) }
