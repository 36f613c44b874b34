# %% [markdown]
# # Election on a tree: two waves meet
#
# A process that has heard from all neighbours but one sends the smallest identity that it knows to that one, its
# father. So a wave runs from the leaves inwards, and the last two processes meet on one link. They know the smallest
# identity, and tell the others.
#
# The [lesson](../book/src/tree-wave.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("tree-wave", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("tree-wave", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it: [assignment 5](../course/assignment-5.md) of the course. First all must wake.

# %% exercise
class Election(suffrage.Process):
    network = "tree"

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
