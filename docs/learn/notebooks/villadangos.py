# %% [markdown]
# # Villadangos and others: a published algorithm, and its deadlock
#
# Candidates learn their predecessors on a ring, and a larger one tells its predecessor that it is its successor, and
# waits. A candidate that knows both leaves the ring, and hands its predecessor on. As published, two candidates can
# wait for each other.
#
# The [lesson](../book/src/villadangos.md) says why it is right.

# %%
import suffrage

run = suffrage.elect("villadangos", nodes=8, seed=7)
run["messages"]["total"], run["bound"]["messages"]

# %% [markdown]
# Watch it: play the run, or go step by step with the arrow keys.

# %%
suffrage.watch(run)

# %% [markdown]
# Check it: every schedule of a small network, and the least and the greatest number of messages.

# %%
checked = suffrage.check("villadangos", nodes=3)
checked["verdict"], checked["messages"]

# %% [markdown]
# ## Exercise
#
# This election has such a deadlock: who waits for answers gives none. Run the check, look at the execution, and mend
# it. Who may answer at once, although it waits?

# %% exercise
class Election(suffrage.Process):
    network = "complete"

    def __init__(self, id, degree):
        self.id, self.missing = id, degree
        self.waits = False
        self.later = []

    def wake(self, net):
        self.waits = True
        net.send_all(("ask", self.id))
        self.go_on(net)

    def receive(self, port, message, net):
        kind, id = message
        if kind == "leader":
            self.status, self.leader, self.halted = "follower", id, True
        elif kind == "yes":
            self.missing -= 1
            self.go_on(net)
        elif self.waits:
            self.later.append(port)
        else:
            net.send(port, ("yes", id))

    def go_on(self, net):
        if self.missing == 0:
            self.status, self.leader, self.halted = "leader", self.id, True
            net.send_all(("leader", self.id))

# %% [markdown]
# `done` says whether it is right; where it is not, this shows the shortest execution.

# %% check
verdict = suffrage.check(Election, nodes=3)
done = verdict.held
if not done:
    print(verdict["counterexample"]["property"], verdict["diagram"], sep="\n")
done
