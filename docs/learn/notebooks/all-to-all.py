# %% [markdown]
# # All to all: everybody tells everybody
#
# Every process sends its identity to all others. When all have come, each knows the largest, which leads. No
# announcement is needed, and `n(n-1)` messages are sent on every schedule.
#
# The [lesson](../book/src/all-to-all.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("all-to-all", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("all-to-all", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it: [assignment 4](../course/assignment-4.md) of the course. A process that is reached before it wakes must
# begin, too.

# %% exercise
class Election(suffrage.Process):
    network = "complete"

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
