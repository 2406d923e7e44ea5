# make qemu-run   boots the tour: every mechanism of the scheduler, in seconds
# make check      the daily loop: lint, the hosted tests that are short, one run of each scenario on amd64
# make test       all tests: hosted ones, then every scenario in QEMU, recorded and checked, on both architectures. All parts
#                 are run, then the verdict names what failed; each part is a target of its own, such as make hosted
# make full       make test, then the matrix of vCPUs, the second toolchain, and what takes long: each long tier is one part
# make model      the scheduler on the host: more interleavings than go test tries, and whether the tests notice when it is broken
# make std        the Go project's own tests on bare metal, as far as tools/std/list.txt says that they pass
# make modules    the same for well-known modules (tools/std/modules.txt)
# make book       the book that goes with the labs, as a site in build/book: its programs are booted and their schedules drawn
# make soak       half an hour of boots over vCPUs, machines, GOGC and seeds
# make bench      what the scheduler costs beside stock Go on Debian's Linux in the same QEMU: a table, build/bench.html and .json
#
# ARCH=arm64 makes qemu-run, soak and bench for the other architecture. Each does its own set-up: QEMU comes
# from the distribution's packages.

SHELL := /bin/bash
SCHED9 := build/sched9
ARCH ?= amd64
# What of the scenarios is booted on arm64 in every test; all: sched9 test -arch arm64.
ARM64 ?= ^(hello|tour|preempt|steal|gcstress|faults|foreign|rawsyscall|threads|disk|reopen|files|console|timers|lineage|deadlock|litmus|pointers|turns|mapping|kernelstorm|server|names|shell|loopback|fileserver|selftest|profile)/[0-9a-z]
# What of them is booted on a Raspberry Pi 3 in make full.
RASPI ?= ^(hello|tour|preempt|steal|gcstress|faults|timers|console|litmus|turns|threads|exit|deadlock|idle|kernelstorm|memory|mapping|signals|slice|stack|yield|channels)/
# A second toolchain that images are built with, fetched by the go command.
GO127 ?= go1.27.4
# How many guests run at once.
JOBS ?= $(shell nproc)
# What check, test and full make, one part after another, whatever becomes of each (tools/parts.sh).
CHECKS := setup lint short scenarios-short
LONG := scenarios|tools/(sched9|lab|internal/(image|suite))|qemu|trace/(page|gotrace)|drivers/(virtioconsole|virtioblk/slot)|kernel/ready
TESTS := setup-test lint hosted race scenarios arm64
TIERS := vcpus bochs firmware raspi go127 go127-arm64 model bugs labs book soak-amd64 soak-arm64 random-amd64 random-arm64 mapping-amd64 mapping-arm64 storm-amd64 storm-arm64 fuzz clock race-data slurm hunts nine folder net std-amd64 modules-amd64

.PHONY: qemu-run check $(CHECKS) test $(TESTS) full $(TIERS) model std std-arm64 modules modules-arm64 soak bench fmt clean $(SCHED9)

qemu-run: setup $(SCHED9)
	$(SCHED9) run -arch $(ARCH) -smp 4 -env GODEBUG=schedtrace=1000 ./scenarios/tour

check:
	@tools/parts.sh check $(CHECKS)

# Not those that boot, link or wait much: the scenarios are booted next.
short:
	go test -short $$(go list ./... | grep -Ev '^sched9/($(LONG))')

scenarios-short: $(SCHED9)
	$(SCHED9) test -j $(JOBS) -short

test:
	@tools/parts.sh test $(TESTS)

# The tool's own tests are the longest: first, so that all others run beside them. Their first half boots one guest after another; those that mostly wait,
# or long use one processor, come then, side by side.
hosted:
	go test -timeout 60m ./tools/sched9 $$(go list ./... | grep -Ev '/(scenarios/|tools/sched9$$)')

race:
	go test -timeout 30m -race ./sched/... ./qemu/... ./kernel/ready ./drivers/virtio ./drivers/virtioblk ./drivers/virtiorng

scenarios: $(SCHED9)
	$(SCHED9) test -j $(JOBS)

vcpus: $(SCHED9)
	$(SCHED9) test -j $(JOBS) -smp 1,2,4,8

# What QEMU forgives: by GRUB in Bochs, which shares no code with it.
bochs: setup-full $(SCHED9)
	$(SCHED9) test -j $(JOBS) -via bochs -smp 1,4,8 -run '^(hello|tour|preempt|steal|gcstress|faults)/'
	for n in 1 4 8; do $(SCHED9) selftest -via bochs -smp $$n -timeout 15m || exit 1; done
	go test ./tools/sched9 -tags full -run 'TestX2APIC$$|TestSkew$$' -v -timeout 60m

# The screen that UEFI leaves; UEFI without GRUB; U-Boot; Debian's Linux that starts the image by kexec.
firmware: setup-full $(SCHED9)
	$(SCHED9) test -j $(JOBS) -via efi -smp 1,4 -run '^(hello|tour|preempt|gcstress|faults)/'
	for n in 1 4; do $(SCHED9) selftest -via efi -smp $$n || exit 1; done
	go test ./tools/sched9 -tags full -run 'TestScreenFramebuffer$$|TestAnywhere$$|TestViaARM64$$|TestUBoot$$|TestAbsentLater$$' -v -timeout 30m
	go test ./tools/sched9 -tags full -run 'TestKexec$$' -v -timeout 60m

arm64: $(SCHED9)
	$(SCHED9) test -j $(JOBS) -arch arm64 -run '$(ARM64)'
	$(SCHED9) test -j $(JOBS) -arch arm64 -machine raspi3b -run '^console/'

# A Raspberry Pi 3: another interrupt controller, processors that spin, serial ports and nothing else; with Debian's own device tree, too.
raspi: setup-full $(SCHED9)
	$(SCHED9) test -j $(JOBS) -arch arm64 -machine raspi3b -run '$(RASPI)'
	$(SCHED9) selftest -arch arm64 -machine raspi3b
	go test ./tools/sched9 -tags full -run 'Raspberry' -v -timeout 30m

go127: $(SCHED9)
	GOTOOLCHAIN=$(GO127) $(SCHED9) test -run '^(hello|tour|steal|preempt|gcstress|mapped)/'
	GOTOOLCHAIN=$(GO127) $(SCHED9) hunt -n 20 ./scenarios/hello

go127-arm64: $(SCHED9)
	GOTOOLCHAIN=$(GO127) $(SCHED9) test -arch arm64 -run '^hello/[0-9a-z]'

# The long tiers: each is a target with a limit of its own.
full:
	@tools/parts.sh full test $(TIERS)

$(filter soak-%,$(TIERS)): soak-%: setup-test $(SCHED9)
	$(SCHED9) soak -arch $* -for 10m

# Random programs, compared with stock Go on this machine.
$(filter random-%,$(TIERS)): random-%: setup-test $(SCHED9)
	$(SCHED9) soak -random -arch $* -for 5m

# Address space under load, and long; the storm with little memory.
$(filter mapping-%,$(TIERS)): mapping-%: setup-test $(SCHED9)
	$(SCHED9) run -arch $* -smp 4 -mem 96M -timeout 10m ./scenarios/mapping storm 5000
	$(SCHED9) run -arch $* -smp 2 -mem 64M -timeout 10m ./scenarios/mapping leak 100000
	$(SCHED9) run -arch $* -smp 2 -timeout 10m ./scenarios/mapping areas 70000

# A storm of all that the kernel does, and a program like a server, for ten minutes each; what is in use at the end is
# compared. An hour: make storm-amd64 STORM=1h.
STORM ?= 10m
$(filter storm-%,$(TIERS)): storm-%: setup-test
	go test ./tools/sched9 -run '^(TestStorm|TestServer)$$' -v -timeout 3h -storm.for $(STORM) -storm.arch $*

# What reads bytes of others, and what is compared with a model: each target for a while.
fuzz:
	tools/fuzz.sh 1m

# The guest's clock on a busy host, and when instructions are counted.
clock: setup-test
	go test ./tools/sched9 -run 'TestClock$$' -v -timeout 60m -clock.boots 50 -clock.load 8 -clock.sleep 2s
	go test ./tools/sched9 -tags full -run 'TestSleepsRepeat$$' -v -timeout 60m

# The files of a guest, from outside, on the architecture that make test leaves out.
nine: setup-test
	go test ./tools/sched9 -run 'TestNine$$' -v -timeout 10m -nine.arch arm64

# Random things in a folder of the host's, on each type of machine.
folder: setup-test
	go test ./tools/sched9 -run 'TestFolder$$' -v -timeout 30m -folder.steps 2000 -folder.seeds 3 -folder.machines 'amd64,q35 amd64,pc amd64,microvm arm64,virt'

# A web server in guests on every type of machine, asked from here, by curl and a browser, too; guests that ask each other; and what goes wrong on a network.
net: setup-full
	go test ./tools/sched9 -tags full -run 'TestNet' -v -timeout 90m

# What the Go project judges its own race detector by.
race-data: setup-test
	go test ./tools/sched9 -tags full -run 'TestRaceData$$' -v -timeout 30m

# A job array that hunts, with a controller and a node of Slurm here.
slurm: setup-full
	go test ./tools/sched9 -tags full -run 'TestHuntSlurm$$' -v -timeout 20m

# The library's own tests that meet by goroutines, each under 2,000 schedules, and a program with the network: tools/hunts.txt. For some: make hunts HUNTS=context SCHEDULES=100.
SCHEDULES ?= 2000
HUNTS ?= .
hunts: setup-test $(SCHED9)
	tools/hunts.sh $(SCHED9) $(SCHEDULES) '$(HUNTS)'

# Each program's states and interleavings are printed, then each mutation and what caught it.
model:
	go run ./sched/explore
	go run ./sched/mutate

# Each program of scenarios/bugs in the schedule that shows its bug, and its mended twin 200 times, on this machine's Go.
bugs:
	go test ./tools/bugs -v -all -timeout 60m

# The labs' grader, graded: the tree's code, empty holes, and each wrong solution; a student goes through all labs, another one cheats.
labs: setup-test $(SCHED9)
	$(SCHED9) lab check
	go test ./tools/internal/course -tags full -run '^(TestStudent|TestStudentAlone|TestCheats)$$' -v -timeout 3h

# The book's programs are booted; pages, pictures and recordings are in build/book.
book: setup-test $(SCHED9)
	go run ./tools/book -o build/book
	go test ./tools/internal/book -tags full -run '^(TestStep|TestStepLost|TestLabsDrawn)$$' -v -timeout 30m

std: std-$(ARCH)

std-amd64 std-arm64: std-%: setup-test $(SCHED9)
	go run ./tools/std -arch $*

modules: modules-$(ARCH)

modules-amd64 modules-arm64: modules-%: setup-test $(SCHED9)
	go run ./tools/std -arch $* -list tools/std/modules.txt

soak: setup $(SCHED9)
	$(SCHED9) soak -arch $(ARCH) -for 30m

bench: setup $(SCHED9)
	$(SCHED9) bench -arch $(ARCH) -o build/bench.json -html build/bench.html

# Our own vet settings: addresses that are numbers are what a kernel is made
# of, and entry code has no frame to keep.
lint:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go vet -unsafeptr=false -framepointer=false ./...
	go vet -unsafeptr=false -framepointer=false -tags explore ./sched/... ./drivers/virtioblk/slot ./kernel/ramfs ./kernel/ready
	go vet -unsafeptr=false -framepointer=false -tags full ./tools/sched9 ./tools/internal/book ./tools/internal/course
	GOARCH=arm64 go vet -unsafeptr=false -framepointer=false ./arch/... ./drivers ./drivers/firmwareclock ./drivers/miniuart ./drivers/pl011 ./drivers/pl031 ./drivers/poweroff ./drivers/serialcard ./kernel/...

$(SCHED9):
	@mkdir -p build
	go build -o $(SCHED9) ./tools/sched9

setup:
	@tools/setup.sh $(ARCH)

setup-test setup-full: setup-%:
	@tools/setup.sh $*

fmt:
	gofmt -w .

clean:
	rm -rf build
