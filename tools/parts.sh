#!/usr/bin/env bash
# parts.sh NAME PART...: makes each part, whatever becomes of the others, and then gives the verdict: the parts that
# failed, and the lines of their output in which a test says that it has. Exit status 1 if one failed.
name=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
passed=0
failed=()
for part; do
	echo "== $name: $part"
	begin=$SECONDS
	make --no-print-directory "$part" | tee "$dir/$part"
	if [ "${PIPESTATUS[0]}" -eq 0 ]; then
		passed=$((passed + 1))
		echo "== $name: $part: ok after $((SECONDS - begin)) s"
	else
		failed+=("$part")
		echo "== $name: $part: FAILED after $((SECONDS - begin)) s"
	fi
done
for part in "${failed[@]}"; do
	echo "$name: $part failed"
	grep -E '^ *(--- )?FAIL[: 	]' "$dir/$part" | sed 's/^/    /'
done
echo "$name: $passed passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
