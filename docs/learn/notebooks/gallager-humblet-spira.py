# %% [markdown]
# # Gallager, Humblet and Spira: fragments grow into a tree
#
# Each fragment finds its lightest link to another fragment, and joins that one: equal levels merge, and a lower one
# is absorbed by a higher one at once. If all weights differ, these links are those of the minimum spanning tree. Of
# the two processes at the last core, the one with the larger identity leads.
#
# The [lesson](../book/src/gallager-humblet-spira.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("gallager-humblet-spira", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("gallager-humblet-spira", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# A tree can come from a wave, too, without weights. Write an election on any network in which the wave of the
# *largest* initiator survives, and in which the ports `self.father` of all processes but the leader make a tree.
# Which of the two algorithms needs fewer messages on a complete network, and why?

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
