# %% [markdown]
# # Flood max: rounds, and time that tells
#
# In each round every process sends its neighbours the largest identity that it knows. After as many rounds as the
# network is wide, all know the largest of all. So time alone says when it is over.
#
# The [lesson](../book/src/flood-max.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("flood-max", nodes=8, schedule="rounds", seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("flood-max", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it without a clock: [assignment 7](../course/assignment-7.md) of the course. A process is told the `size`, and
# numbers its rounds.

# %% exercise
class Election(suffrage.Process):
    network = "connected"

    def __init__(self, id, degree, size):
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
