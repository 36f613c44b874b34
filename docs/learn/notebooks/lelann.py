# %% [markdown]
# # Le Lann: every identity goes all the way round
#
# Every initiator sends a token with its identity around the ring, and every process passes on the tokens of others.
# When its own token comes home, an initiator has seen all tokens, since links keep the order. It leads if its
# identity is the smallest.
#
# The [lesson](../book/src/lelann.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("lelann", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("lelann", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# Write it. Port 0 leads to the next process. The winner tells the others: in the end all know its identity in
# `self.leader`, have the status `"leader"` or `"follower"`, and have halted.

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
