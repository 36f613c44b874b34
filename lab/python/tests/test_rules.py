"""Population protocols of one's own are pairs of what is there at first and a rule."""

import pytest

import suffrage


def majority(a, b):
    """Three-state approximate majority."""
    if {a, b} == {"A", "B"}:
        return a, "U"
    if a == "U" and b != "U":
        return b, b
    if b == "U" and a != "U":
        return a, a
    return None


def test_a_function_is_a_protocol():
    run = suffrage.population(rules=({"A": 700, "B": 300}, majority), seed=2, trials=20)
    assert run["rules"] == "majority.rules" and run["silent"] == 20
    won = {shown["output"]: shown["by_all"] for shown in run["outputs"]}
    assert won["A"] == 20


def test_it_is_that_of_the_text_of_its_rules(tmp_path):
    protocol = {"A": 70, "B": 30}, majority
    file = tmp_path / "majority.rules"
    file.write_text(suffrage.rules(*protocol))
    of_pair = suffrage.population(rules=protocol, seed=3, trials=5, each=True)
    of_file = suffrage.population(rules=file, seed=3, trials=5, each=True)
    assert of_pair["results"] == of_file["results"]
    assert of_pair["interactions"] == of_file["interactions"]


def test_states_are_any_values():
    def backup(a, b):
        """Of two leaders that meet one resigns; both count as far as three."""
        (leads, count), (other, of) = a, b
        most = min(3, max(count, of) + 1)
        return (leads, most), (other and not leads, most)

    run = suffrage.population(rules=({(True, 0): 50}, backup), interactions=100_000)
    [trial] = run["results"]
    assert trial["states"] == {(True, 3): 1, (False, 3): 49}


def test_a_mapping_is_a_protocol_too():
    epidemic = {("ill", "well"): ("ill", "ill"), ("well", "ill"): ("ill", "ill")}
    run = suffrage.population(rules=({"ill": 1, "well": 99}, epidemic))
    assert run["results"][0]["states"] == {"ill": 100}
    assert run.frame is not None


def test_transitions_may_be_random():
    def toss(a, b):
        if a == b == "coin":
            return {("head", "done"): 0.3, ("tail", "done"): 0.2, ("done", "done"): 0.5}

    run = suffrage.population(rules=({"coin": 100_000}, toss), trials=20)
    heads, tails = (
        next(shown["agents"] for shown in run["outputs"] if shown["output"] == side)
        for side in ("head", "tail")
    )
    # 50,000 tosses each; five standard errors of the mean.
    assert abs(heads["mean"] - 15_000) < 5 * heads["error"] < 300
    assert abs(tails["mean"] - 10_000) < 5 * tails["error"] < 300


def test_probabilities_that_sum_to_one_leave_nothing():
    thirds = {("a", "a"): {("b", "b"): 1 / 3, ("b", "c"): 1 / 3, ("c", "c"): 1 / 3}}
    text = suffrage.rules({"a": 9}, thirds)
    assert "a, a -> b, b 33.333333% | b, c 33.333333% | c, c 33.333334%" in text
    half = suffrage.rules({"a": 9}, {("a", "a"): {("b", "b"): 0.5}})
    assert "a, a -> b, b 50.000000% | a, a 50.000000%" in half
    assert "a, a -> b, b\n" in suffrage.rules({"a": 9}, {("a", "a"): {("b", "b"): 1}})


@pytest.mark.parametrize(
    "init, rule, why",
    [
        ({}, majority, "how many agents begin"),
        ({"A": 1.5}, majority, "1.5 agents begin in the state 'A'"),
        ({"A": 1}, majority, "at least two agents, not 1"),
        ({0: 10}, lambda a, b: (a + 1, b), "more than 1024 states"),
        ({0: 10}, lambda a, b: a, "becomes 0, and not two states"),
        ({0: 10}, lambda a, b: {(1, 1): 1.5}, "1.5 is no probability"),
        ({0: 10}, lambda a, b: {(1, 1): 0.7, (0, 1): 0.7}, "sum to more than 1"),
        ({0: 10}, lambda a, b: {1: 0.5}, "becomes 1, and not two states"),
    ],
)
def test_what_is_no_protocol_is_refused(init, rule, why):
    with pytest.raises(ValueError, match=why):
        suffrage.population(rules=(init, rule))


def test_an_error_of_the_rule_is_its_own():
    def broken(a, b):
        raise KeyError("of the rule")

    with pytest.raises(KeyError, match="of the rule"):
        suffrage.population(rules=({"A": 2}, broken))
