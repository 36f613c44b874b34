# %% [markdown]
# # Afek and Gafni: a father gives way, or denies
#
# A candidate captures node after node, and shows its level and its identity. An ordinary node lets only ever larger
# pairs pass, and asks its father whether he gives way. The candidate that has captured all nodes leads.
#
# The [lesson](../book/src/afek-gafni.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("afek-gafni", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("afek-gafni", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Time is what one capture after the other costs. Write an election in which a candidate asks one node, then two, then
# four, and so on, all of a group at once; a larger candidate answers no, all others yes and give up. How many units
# of time does it take?

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
