# make qemu-run   boots the tour: every mechanism of the scheduler, in seconds
# make test       all tests: hosted ones, then every scenario in QEMU, recorded and checked
# make model      the scheduler on the host: more interleavings than go test tries, and whether the tests notice when it is broken
# make soak       half an hour of boots over vCPUs, machines, GOGC and seeds
# make bench      what the scheduler costs beside stock Go on Debian's Linux in the same QEMU: a table, build/bench.html and .json
#
# ARCH=arm64 makes qemu-run, soak and bench for the other architecture. Each does its own set-up: QEMU comes
# from the distribution's packages.

SHELL := /bin/bash
SCHED9 := build/sched9
ARCH ?= amd64
# What of the scenarios is booted on arm64 in every test; all: sched9 test -arch arm64.
ARM64 ?= ^(hello|tour|preempt|steal|gcstress|faults|foreign|rawsyscall|threads|disk|console|timers|lineage|deadlock|litmus)/[0-9a-z]
# A second toolchain that images are built with, fetched by the go command.
GO127 ?= go1.27.4

.PHONY: qemu-run test model soak bench setup setup-test lint fmt clean $(SCHED9)

qemu-run: setup $(SCHED9)
	$(SCHED9) run -arch $(ARCH) -smp 4 -env GODEBUG=schedtrace=1000 ./scenarios/tour

test: setup-test lint $(SCHED9)
	go test $$(go list ./... | grep -v /scenarios/)
	go test -race ./sched/... ./qemu/... ./kernel/ready
	$(SCHED9) test
	$(SCHED9) test -smp 1,2,4,8
	$(SCHED9) test -arch arm64 -run '$(ARM64)'
	GOTOOLCHAIN=$(GO127) $(SCHED9) test -arch arm64 -run '^hello/[0-9a-z]'
	GOTOOLCHAIN=$(GO127) $(SCHED9) test -run '^(hello|tour|steal|preempt|gcstress)/'

# Each program's states and interleavings are printed, then each mutation and what caught it.
model:
	go run ./sched/explore
	go run ./sched/mutate

soak: setup $(SCHED9)
	$(SCHED9) soak -arch $(ARCH) -for 30m

bench: setup $(SCHED9)
	$(SCHED9) bench -arch $(ARCH) -o build/bench.json -html build/bench.html

# Our own vet settings: addresses that are numbers are what a kernel is made
# of, and entry code has no frame to keep.
lint:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go vet -unsafeptr=false -framepointer=false ./...
	go vet -unsafeptr=false -framepointer=false -tags explore ./sched/...
	GOARCH=arm64 go vet -unsafeptr=false -framepointer=false ./arch ./arch/arm64/... ./drivers ./drivers/pl011 ./drivers/pl031 ./drivers/poweroff ./drivers/serialcard ./kernel/...

$(SCHED9):
	@mkdir -p build
	go build -o $(SCHED9) ./tools/sched9

setup:
	@tools/setup.sh $(ARCH)

setup-test:
	@tools/setup.sh test

fmt:
	gofmt -w .

clean:
	rm -rf build
