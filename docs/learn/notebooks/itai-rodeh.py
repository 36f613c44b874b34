# %% [markdown]
# # Itai and Rodeh: no identities
#
# Without identities no algorithm that always ends can elect: all processes may do the same for ever. So each draws a
# number, and the largest goes on. Where several have drawn it, these draw again.
#
# The [lesson](../book/src/itai-rodeh.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("itai-rodeh", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("itai-rodeh", nodes=2)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write an election of processes that know the size of the ring and nothing else: [assignment
# 2](../course/assignment-2.md) of the course. `net.choose(m)` draws from 0 to `m`.

# %% exercise
class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, size):
        self.size = size

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
