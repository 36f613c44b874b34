# %% [markdown]
# # Hirschberg and Sinclair: ask twice as far each time
#
# A candidate asks both ways whether somebody larger is near, at first one link far. Who is larger and an initiator
# answers no, all others pass the question on, and the last one answers ok. With two times ok the candidate asks twice
# as far; its own question that comes home all the way round makes it the leader.
#
# The [lesson](../book/src/hirschberg-sinclair.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("hirschberg-sinclair", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("hirschberg-sinclair", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it on a ring whose ports 0 and 1 say nothing about the direction: `1 - port` is the other one. Messages are
# `("from", id, hops)`, `("ok", id, 0)`, `("no", id, 0)` and `("leader", id, 0)`.

# %% exercise
class Election(suffrage.Process):
    network = "ring"

    def __init__(self, id):
        self.id = id

    def wake(self, net):
        pass

    def receive(self, port, message, net):
        pass

# %% [markdown]
# `done` says whether it is right; where it is not, this shows the shortest execution.

# %% check
verdict = suffrage.check(Election, nodes=3)
done = verdict.held
if not done:
    print(verdict["counterexample"]["property"], verdict["diagram"], sep="\n")
done
