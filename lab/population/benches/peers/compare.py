"""Runs each program on the same work and prints seconds and ratios. Called by run.sh."""

import subprocess
import sys

work, speed, largest = sys.argv[1], sys.argv[2], int(sys.argv[3])

# Set-up and run of each peer: from one infected agent until all are infected.
PPSIM = """
from ppsim import Simulation
def epidemic(a, b):
    return ('I', 'I') if 'I' in (a, b) else (a, b)
def prepare(n, seed):
    return Simulation({'I': 1, 'S': n - 1}, epidemic, seed=seed)
def run(simulation):
    simulation.run(lambda counts: counts.get('S', 0) == 0, history_interval=1.0)
"""
BATSS = """
from batss import Simulation, species
I, S = species('I S')
def prepare(n, seed):
    return Simulation({I: 1, S: n - 1}, [I + S >> 2 * I], seed=seed)
def run(simulation):
    simulation.run(history_interval=1.0)
"""
# The fastest of a few runs, without the start-up: of all programs alike, since other work on the
# machine only ever makes a run slower.
def repeats(exponent):
    return 5 if exponent < 9 else 3 if exponent < 12 else 2


TIMED = """
import time
best = float('inf')
for seed in range(1, {repeat} + 1):
    simulation = prepare({n}, seed)
    start = time.perf_counter()
    run(simulation)
    best = min(best, time.perf_counter() - start)
print()
print(best)
"""
PEERS = {"ppsim-0.1.6": PPSIM, "ppsim-1.0.2": PPSIM, "batss-1.0.4": BATSS}
# The last exponent at which a peer answers within minutes.
LIMIT = {"ppsim-0.1.6": 12, "ppsim-1.0.2": 7, "batss-1.0.4": 9}


def peer(name, exponent):
    if exponent > LIMIT[name]:
        return None
    program = PEERS[name] + TIMED.format(n=10**exponent, repeat=repeats(exponent))
    done = subprocess.run([f"{work}/{name}/bin/python", "-W", "ignore", "-c", program],
                          capture_output=True, text=True, timeout=900)
    try:
        return float(done.stdout.split()[-1])
    except (ValueError, IndexError):
        print(f"{name} at 10^{exponent}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None


def ours(engine, exponent):
    done = subprocess.run([speed, engine, f"1e{exponent}", str(repeats(exponent))],
                          capture_output=True, text=True, check=True)
    return float(done.stdout.split(" s the fastest")[0].split()[-1])


print("two-way epidemic from one agent to all, seconds; in brackets times the batched engine's")
names = ["batched", "closed-form", *PEERS]
print(f"{'n':>6}", *(f"{name:>20}" for name in names))
for exponent in range(7, largest + 1):
    base = ours("counts", exponent)
    cells = [f"{base:.4f} (1.0)"]
    for seconds in [ours("spread", exponent), *(peer(name, exponent) for name in PEERS)]:
        cells.append("-" if seconds is None else f"{seconds:.4f} ({seconds / base:.2g})")
    print(f"{f'10^{exponent}':>6}", *(f"{cell:>20}" for cell in cells), flush=True)
