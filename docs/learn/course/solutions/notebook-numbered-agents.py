"""The exercise of the notebook on numbered agents: of two leaders that meet, one remains."""


def rule(a, b):
    if a == b == "leader":
        return "leader", "follower"
