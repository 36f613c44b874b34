#!/usr/bin/env bash
# Times the two-way epidemic, from one infected agent to all, here and in peers from PyPI, in one
# run on this machine, and prints the ratios. Not part of the tests: it needs Python 3, the network
# and several minutes. Usage: run.sh [LARGEST_EXPONENT], by default 10 for 10^10 agents.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
largest=${1:-10}
work=${PEERS_DIR:-$(mktemp -d)}
target=${CARGO_TARGET_DIR:-$(cargo metadata --format-version 1 --no-deps | python3 -c \
  'import json, sys; print(json.load(sys.stdin)["target_directory"])')}

cargo build --release --quiet --example speed

# One environment for each peer: their dependencies differ.
environment() {
  local name=$1 commands=$2
  if [ ! -e "$work/$name/done" ]; then
    python3 -m venv "$work/$name"
    if PATH="$work/$name/bin:$PATH" bash -euc "$commands" >"$work/$name/log" 2>&1; then
      touch "$work/$name/done"
    else
      echo "cannot install $name: see $work/$name/log" >&2
    fi
  fi
}
# Cython of its day, compiled here; it pins dependencies that have no wheels any more, and works
# with newer ones.
environment ppsim-0.1.6 '
  pip install "setuptools<81" wheel "cython<3"
  pip install --only-binary :all: "numpy<2" pandas scipy tqdm natsort matplotlib ipywidgets \
    seaborn sympy
  pip install --no-build-isolation --no-deps ppsim==0.1.6'
environment ppsim-1.0.2 'pip install --only-binary :all: ppsim==1.0.2 "setuptools<81"'
environment batss-1.0.4 'pip install --only-binary :all: batss==1.0.4 "setuptools<81"'

python3 "$here/compare.py" "$work" "$target/release/examples/speed" "$largest"
