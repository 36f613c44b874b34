# %% [markdown]
# # Numbered agents that meet at random
#
# Agents have numbers and meet at random, and the highest number must lead. Of two that meet, the one with the lower
# belief takes over the higher, like an epidemic. The eventual leader counts those that it converts, and knows by that
# when it is over.
#
# The [lesson](../book/src/numbered-agents.md) says how long it takes.

# %%
import suffrage

run = suffrage.population("epidemic", 1000, trials=20, seed=7)
run["summary"]["completed_at"]

# %% [markdown]
# A protocol of your own is a function from the states of two agents that meet to their new states. It is called once
# for each pair, and the meetings run in Rust; so the rules can be printed, and looked through.

# %%
def majority(a, b):
    if {a, b} == {"A", "B"}:
        return a, "U"


print(suffrage.rules({"A": 60, "B": 40}, majority))

# %% [markdown]
# ## Exercise
#
# Agents without numbers all begin as `"leader"`. Write a rule after which exactly one is left, and all others are
# `"follower"`. It returns `None` if nothing changes.

# %% exercise
def rule(a, b):
    return None

# %% [markdown]
# In the end every agent is the leader or a follower, and one leads.

# %% check
end = suffrage.population(rules=({"leader": 100}, rule), trials=5, seed=7)
agents = {shown["output"]: shown["agents"]["max"] for shown in end["outputs"]}
done = end["silent"] == 5 and agents == {"leader": 1, "follower": 99}
agents
