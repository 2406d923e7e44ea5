#!/usr/bin/env bash
# hunts.sh SCHED9 [N [PATTERN]]: hunts with N schedules (default 2000) in what tools/hunts.txt names, or in those of its lines that a pattern of
# grep -E matches. Pages of failures go into build/hunts. Exit status 1 if a schedule failed or a hunt could not be made.
set -f # a pattern of tests is no pattern of files
sched9=$1 n=${2:-2000} pattern=${3:-.}
mkdir -p build/hunts
status=0 tried=0
while read -r -a args; do
	tried=$((tried + 1))
	echo "== hunt: ${args[*]}"
	"$sched9" hunt -n "$n" -page build/hunts "${args[@]}" </dev/null || status=1
done < <(grep -v '^#' tools/hunts.txt | grep -E -e "$pattern")
if [ "$tried" = 0 ]; then
	echo "hunts.sh: no line of tools/hunts.txt matches $pattern" >&2
	exit 2
fi
exit $status
