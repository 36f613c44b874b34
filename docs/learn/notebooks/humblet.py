# %% [markdown]
# # Humblet: capture more than half
#
# An active node captures the others one by one; pairs of the number that it has captured and its identity decide who
# is stronger. A captured node asks its owner before it changes it. More than half of the nodes can belong to one
# alone, so that one leads.
#
# The [lesson](../book/src/humblet.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("humblet", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("humblet", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Begin with a simpler one: a candidate asks the other nodes one by one, `net.send(port, ("capture", self.id))`. A
# candidate with a larger identity answers no, and the asker has lost; any other node answers yes, and never is a
# candidate again. With every yes the candidate leads, and tells all. How many messages does that take at most, and
# what do Humblet's owners save?

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
