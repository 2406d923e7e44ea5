// Package arch is the seam between the portable kernel and the architecture:
// each architecture's package defines these names (README.md lists them), and
// one file here forwards to it. What a name does, in which context it may be
// called and where it comes from is said at the function that it forwards to.
package arch

import (
	"unsafe"

	"sched9/arch/amd64"
	"sched9/arch/paging"
)

const (
	MaxCPU   = amd64.MaxCPU
	PageSize = amd64.PageSize
	HugeSize = amd64.HugeSize
	NumLines = amd64.NumLines
	UserLow  = amd64.UserLow

	FaultStack = amd64.FaultStack

	FaultOther      = amd64.FaultOther
	FaultPage       = amd64.FaultPage
	FaultAddress    = amd64.FaultAddress
	FaultDivide     = amd64.FaultDivide
	FaultFloat      = amd64.FaultFloat
	FaultIllegal    = amd64.FaultIllegal
	FaultBreakpoint = amd64.FaultBreakpoint
	FaultNMI        = amd64.FaultNMI

	Read  = amd64.Read
	Store = amd64.Store
	Fetch = amd64.Fetch
)

type (
	Frame  = amd64.Frame
	Kind   = amd64.Kind
	Access = amd64.Access
	Stacks = amd64.Stacks
	APArg  = amd64.APArg

	PCIFunction = amd64.PCIFunction
)

// Traps.
func InitEarly()          { amd64.InitEarly() }
func SetStacks(st Stacks) { amd64.SetStacks(st) }
func SetIRQG(g uintptr)   { amd64.SetIRQG(g) }

// Time, the thread pointer, memory contents, randomness.
func InitClock() bool                                        { return amd64.InitClock() }
func Nanotime() int64                                        { return amd64.Nanotime() }
func ClockScale() (base, mult uint64)                        { return amd64.ClockScale() }
func ClockError() (ppm uint64, ok bool)                      { return amd64.ClockError() }
func SetTimer(ns int64)                                      { amd64.SetTimer(ns) }
func StopTimer()                                             { amd64.StopTimer() }
func Zero(p, n uintptr)                                      { amd64.Zero(p, n) }
func Copy(to, from unsafe.Pointer, n uintptr) (left uintptr) { return amd64.Copy(to, from, n) }
func Load(p unsafe.Pointer) (v uint32, ok bool)              { return amd64.Load(p) }
func Random() (uint64, bool)                                 { return amd64.Random() }
func HWCap() uintptr                                         { return amd64.HWCap() }

// What the boot loader left.
func ReadLoader() (wrong string)     { return amd64.ReadLoader() }
func Cmdline() uintptr               { return amd64.Cmdline() }
func RAM(fn func(start, end uint64)) { amd64.RAM(fn) }
func Module() (start, end uint64)    { return amd64.Module() }
func Image() (start, end uint64)     { return amd64.Image() }

// Fixed tells of memory that is used at fixed addresses.
func Fixed(fn func(start, end uint64, what string)) { amd64.Fixed(fn) }

// BootStack is the kernel's first stack.
func BootStack() uintptr { return amd64.BootStack() }

// Processors.
func FindCPUs() int                  { return amd64.FindCPUs() }
func NumCPU() int                    { return amd64.NumCPU() }
func StartCPU(id int, a *APArg) bool { return amd64.StartCPU(id, a) }
func NoG() uintptr                   { return amd64.NoG() }
func RestartCPU(id int, a *APArg)    { amd64.RestartCPU(id, a) }
func ID() int                        { return amd64.ID() }

// Interrupts to other processors.
func Kick(id int)        { amd64.Kick(id) }
func SendPreempt(id int) { amd64.SendPreempt(id) }
func SendFlush(id int)   { amd64.SendFlush(id) }
func SendNMI(id int)     { amd64.SendNMI(id) }

// This processor's interrupts, and waiting for one.
func SaveIRQ() uintptr      { return amd64.SaveIRQ() }
func RestoreIRQ(on uintptr) { amd64.RestoreIRQ(on) }
func EnableIRQ()            { amd64.EnableIRQ() }
func DisableIRQ()           { amd64.DisableIRQ() }
func Halt()                 { amd64.Halt() }
func Stop()                 { amd64.Stop() }
func Pause()                { amd64.Pause() }

// Physical memory and page tables.
func Phys(pa uint64) uintptr { return amd64.Phys(pa) }
func MapRAM(end uint64) bool { return amd64.MapRAM(end) }
func Pages() *paging.Tables  { return amd64.Pages() }
func FlushTLB()              { amd64.FlushTLB() }

// Devices: their registers, finding them, and their interrupts.
func Device(pa uint64, n uintptr) uintptr              { return amd64.Device(pa, n) }
func Read8(addr uintptr) uint8                         { return amd64.Read8(addr) }
func Read16(addr uintptr) uint16                       { return amd64.Read16(addr) }
func Read32(addr uintptr) uint32                       { return amd64.Read32(addr) }
func Write8(addr uintptr, v uint8)                     { amd64.Write8(addr, v) }
func Write16(addr uintptr, v uint16)                   { amd64.Write16(addr, v) }
func Write32(addr uintptr, v uint32)                   { amd64.Write32(addr, v) }
func FindPCI(n int, ids ...uint32) (PCIFunction, bool) { return amd64.FindPCI(n, ids...) }
func ConnectMSIX(f PCIFunction, entry, line int) bool  { return amd64.ConnectMSIX(f, entry, line) }
func FindVirtio(n int) (base uintptr, ok bool)         { return amd64.FindVirtio(n) }
func Serial() uintptr                                  { return amd64.Serial() }
func ConnectSerial(line int) bool                      { return amd64.ConnectSerial(line) }
func Clock() uintptr                                   { return amd64.Clock() }
func PowerOff(status uint64)                           { amd64.PowerOff(status) }
func ConnectVirtio(n, line int) bool                   { return amd64.ConnectVirtio(n, line) }
