# %% [markdown]
# # Tenure: one leader among members that crash
#
# A member gives its vote for a limited time, the lease, and a leader has those of a majority. It counts on a vote
# from when it asked for it, and the member owes it from when it was asked, for longer by the rates of their clocks.
# Each leadership has a greater term than all before, so that late writes can be refused.
#
# The [lesson](../book/src/tenure.md) says why it is right.

# %%
import suffrage

run = suffrage.tenure_simulate(faults=["crash", "split"], duration="60s", trials=2, seed=7)
run.held, run["runs"]

# %% [markdown]
# Check it: five promises, under all kinds of faults that Tenure allows for. The lesson has an execution to watch.

# %%
suffrage.tenure_simulate(faults="all", duration="60s", trials=2, seed=7).held

# %% [markdown]
# ## Exercise
#
# The election of Raft alone, `raft-election`, has terms and no leases: a leader leads until it hears of a later one.
# Find faults under which two lead at one time, and tell why Tenure has one leader under the same. A name that is none
# gets the list of all.

# %% exercise
faults = ["split"]

# %% [markdown]
# `done` says whether two led at one time, and whether Tenure stood it.

# %% check
limits = {"faults": faults, "duration": "60s", "trials": 5, "seed": 7}
raft = suffrage.tenure_simulate("raft-election", **limits)
done = not raft.held and suffrage.tenure_simulate(**limits).held
done
