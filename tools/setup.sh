#!/bin/sh
# Installs what sched9 needs on a Debian machine and is not there: QEMU. Says
# what to type where it may not.
set -eu

if ! command -v go >/dev/null 2>&1; then
	echo "sched9: the Go toolchain is not installed; get 1.26 or 1.27 from go.dev/dl" >&2
	exit 1
fi
if command -v qemu-system-x86_64 >/dev/null 2>&1; then
	exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
	echo "sched9: qemu-system-x86_64 is not installed; install your distribution's package of it" >&2
	exit 1
fi
as=""
if [ "$(id -u)" -ne 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as="sudo"
	else
		echo "sched9: QEMU is not installed; type: sudo apt-get install -y qemu-system-x86" >&2
		exit 1
	fi
fi
echo "sched9: installing QEMU" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { $as apt-get update -q && DEBIAN_FRONTEND=noninteractive $as apt-get install -q -y --no-install-recommends qemu-system-x86 seabios ipxe-qemu; } >"$log" 2>&1; then
	cat "$log" >&2
	echo "sched9: QEMU could not be installed" >&2
	exit 1
fi
