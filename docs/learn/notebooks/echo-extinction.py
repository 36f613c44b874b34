# %% [markdown]
# # Extinction over Echo: the smallest wave survives
#
# Every initiator starts a wave with its identity, and a process answers it when all its neighbours have. A process
# that a smaller wave reaches forgets the larger one, which so never ends. The leader is
# the initiator to which its wave comes back.
#
# The [lesson](../book/src/echo-extinction.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("echo-extinction", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("echo-extinction", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it: [assignment 6](../course/assignment-6.md) of the course.

# %% exercise
class Election(suffrage.Process):
    network = "connected"

    def __init__(self, id, degree):
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
