#!/usr/bin/env bash
# Gives the same work to Spin and to us, in one run on this machine: Dolev, Klawe and Rodeh's
# election on a ring of NODES (by default 6), every identity order, all awake at the start. Prints
# both, and the ratio of the times. Not part of the tests: it needs `spin` (a package of Debian)
# and `gcc`. Usage: compare.sh [NODES]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nodes=${1:-6}
for tool in spin gcc; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: install the package $tool" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$here/.."
target=${CARGO_TARGET_DIR:-$here/../../../target}
cargo build --release --quiet --example peers
ours=$("$target/release/examples/peers" dolev-klawe-rodeh "$nodes")

cd "$work"
spin -DN="$nodes" -a "$here/dolev_klawe_rodeh.pml"
gcc -O2 -DSAFETY -o pan pan.c
# The best of five, as ours.
best=
for _ in 1 2 3 4 5; do
  ./pan -m1000000 >out
  grep -q 'errors: 0' out || { cat out >&2; exit 1; }
  seconds=$(awk '/elapsed time/ { print $4 }' out)
  best=$(printf '%s\n' ${best:+"$best"} "$seconds" | sort -g | head -1)
done
states=$(awk '/states, stored/ { print $1 }' out)

echo "$ours"
echo "spin, all orders, 1 thread: $states states, $best seconds"
echo "$ours" | awk -v spin="$best" '$1 == "all" && $3 == "reduced" && $4 == 1 {
  printf "spin takes %.1f times as long as our reduced exploration of all orders\n", spin / $NF }'
