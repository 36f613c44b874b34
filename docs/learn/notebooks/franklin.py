# %% [markdown]
# # Franklin: only local maxima go on
#
# Every active process sends its identity both ways, and learns those of the next active processes. If one of them is
# larger, it becomes passive, and passes messages on. At least half become passive in each round, until one hears
# itself.
#
# The [lesson](../book/src/franklin.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("franklin", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("franklin", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it: [assignment 3](../course/assignment-3.md) of the course. What has come from one side may have to wait for
# the other.

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
