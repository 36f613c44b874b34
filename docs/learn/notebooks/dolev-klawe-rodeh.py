# %% [markdown]
# # Dolev, Klawe and Rodeh: one direction is enough for n log n
#
# An active process stands for a current identity, and learns those of the two active processes before it. If the
# identity of its predecessor is smaller than both others, it goes on and stands for that one; else it becomes passive.
# A process that receives its own current identity announces it.
#
# The [lesson](../book/src/dolev-klawe-rodeh.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("dolev-klawe-rodeh", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("dolev-klawe-rodeh", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it with messages `("one", id)`, `("two", id)` and `("small", id)`. Passive processes pass on what comes. Who
# leads, when an identity is announced: the process that announces it, or the one to which it belongs?

# %% exercise
class Election(suffrage.Process):
    network = "oriented-ring"

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
