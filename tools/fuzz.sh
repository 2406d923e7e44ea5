#!/usr/bin/env bash
# fuzz.sh [TIME]: runs every fuzz target of the repository for TIME (default 30s): device trees, ACPI's and the
# loaders' tables, a disk's rings, command lines, archives, ELF files, memory calls, answers of DHCP, the run queue. They begin with what lies in
# testdata/fuzz and with what earlier runs on this machine found new (go env GOCACHE). Input that fails is stored in
# testdata/fuzz, where go test tries it from then on. Exit status 1 if a target failed.
time=${1:-30s}
status=0
while IFS=: read -r file target; do
	echo "== fuzz: $target in ${file%/*}"
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./${file%/*}" || status=1
done < <(git grep -oE '^func Fuzz\w+' -- '*_test.go' | sed 's/func //')
exit $status
