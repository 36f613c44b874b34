# %% [markdown]
# # Chang and Roberts: a token travels only as long as it may win
#
# A candidate swallows the tokens of larger identities, which cannot win; a smaller one it passes on, and has lost. A
# process that is reached before it wakes never becomes a candidate. Only the token of the smallest initiator comes
# all the way round.
#
# The [lesson](../book/src/chang-roberts.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("chang-roberts", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("chang-roberts", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it, with at most `k n - k(k-1)/2` tokens: [assignment 1](../course/assignment-1.md) of the course.

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
