#!/bin/sh
# Installs what sched9 needs on a Debian machine and is not there. The argument is for what:
# amd64 or arm64, QEMU for guests of that architecture; test, both, a C compiler,
# which go test -race links with, a browser, which the recordings' page is tried in, gdb, and GRUB and UEFI's firmware,
# which images are booted by; full, that, Bochs, U-Boot, Slurm and curl.
# Says what to type where it may not.
set -eu

if ! command -v go >/dev/null 2>&1; then
	echo "sched9: the Go toolchain is not installed; get 1.26 or 1.27 from go.dev/dl" >&2
	exit 1
fi
need=" ${1:-amd64} "
case "$need" in
" amd64 " | " arm64 ") ;;
" test ") need=" amd64 arm64 gcc chromium gdb disc uefi " ;;
" full ") need=" amd64 arm64 gcc chromium gdb disc uefi bochs uboot slurm curl " ;;
*)
	echo "sched9: $0 sets up amd64, arm64, test or full, not $1" >&2
	exit 2
	;;
esac
want=""
# lacking WHAT PROGRAM PACKAGES wants the packages if WHAT is needed and there is no PROGRAM.
lacking() {
	case "$need" in
	*" $1 "*) command -v "$2" >/dev/null 2>&1 || want="$want $3" ;;
	esac
}
lacking amd64 qemu-system-x86_64 "qemu-system-x86 seabios ipxe-qemu"
lacking arm64 qemu-system-aarch64 "qemu-system-arm ipxe-qemu"
lacking gcc gcc "gcc libc6-dev"
lacking chromium chromium "chromium"
lacking gdb gdb-multiarch "gdb-multiarch"
lacking disc grub-mkrescue "grub-common grub-pc-bin grub-efi-amd64-bin xorriso mtools"
lacking bochs bochs "bochs bochsbios vgabios bochs-term"
lacking slurm sbatch "slurm-wlm"
lacking curl curl "curl"
case "$need" in
*" uefi "*) [ -e /usr/share/ovmf/OVMF.fd ] || want="$want ovmf"; [ -e /usr/share/qemu-efi-aarch64/QEMU_EFI.fd ] || want="$want qemu-efi-aarch64" ;;
esac
case "$need" in
*" uboot "*) [ -e /usr/lib/u-boot/qemu_arm64/u-boot.bin ] || want="$want u-boot-qemu" ;;
esac
if [ -z "$want" ]; then
	exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
	echo "sched9: install your distribution's packages for what Debian calls:$want" >&2
	exit 1
fi
as=""
if [ "$(id -u)" -ne 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as="sudo"
	else
		echo "sched9: something is not installed; type: sudo apt-get install -y$want" >&2
		exit 1
	fi
fi
echo "sched9: installing$want" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # want is a list of words
if ! { $as apt-get update -q && $as env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $want; } >"$log" 2>&1; then
	cat "$log" >&2
	echo "sched9:$want could not be installed" >&2
	exit 1
fi
