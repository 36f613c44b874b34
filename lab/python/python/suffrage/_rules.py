"""Population protocols as (init, rule)."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias

State: TypeAlias = Hashable
Pair: TypeAlias = "tuple[Any, Any]"
Random: TypeAlias = "Mapping[Pair, float]"
Rule: TypeAlias = "Callable[[Any, Any], Pair | Random | None] | Mapping[Pair, Pair | Random]"

MOST_STATES = 1024
"""The number of states that a protocol may have."""

CERTAIN = 10**8
"""Probabilities are multiples of 1 / CERTAIN."""


def rules(init: Mapping[Any, int], rule: Rule) -> str:
    """Return the text of a protocol, as ``suffrage population --rules FILE`` reads it.

    ``init`` says how many agents begin in which state. ``rule`` says what becomes of an initiator and
    a responder: a function of their two states, which returns the two new ones, or ``None`` if they
    do not change; or a mapping of pairs to pairs, in which others do not change. It is called once
    for each pair of states that can be reached. Pairs are ordered, as for ppsim with
    ``transition_order="asymmetric"``: a rule for ``(a, b)`` says nothing of ``(b, a)``, while the default
    of ppsim takes it for both.

    Instead of a pair there may be a mapping of pairs to their probabilities: one of them is drawn in
    each meeting, and with what is left of 1 nothing changes. Probabilities are rounded to eight
    decimal places.
    """
    return text(init, rule)[0]


def text(init: Mapping[Any, int], rule: Rule) -> tuple[str, dict[str, Any]]:
    """Return the text of a protocol, and the states by the names that they have there."""
    if not isinstance(init, Mapping) or not init:
        raise ValueError("rules: init says how many agents begin in which state, as {'A': 60, 'B': 40}")
    states: list[Any] = list(init)
    names = {state: name for name, state in _named(states, {}).items()}
    lines = []
    # The states that are reached are appended to those that are looked through.
    for number, state in enumerate(states):
        for other in states[: number + 1]:
            for pair in [(state, other)] if state == other else [(state, other), (other, state)]:
                outcomes = _outcomes(rule, pair)
                for new in (new for after in outcomes for new in after):
                    if new not in names:
                        states.append(new)
                        names |= {new: name for name in _named([new], _inverse(names))}
                if len(states) > MOST_STATES:
                    raise ValueError(
                        f"rules: more than {MOST_STATES} states can be reached, the last is {new!r}"
                    )
                if list(outcomes) != [pair]:
                    before, *results = (f"{names[a]}, {names[b]}" for a, b in (pair, *outcomes))
                    lines.append(f"{before} -> {_results(results, list(outcomes.values()))}")
    for state, count in init.items():
        if isinstance(count, bool) or int(count) != count or count < 0:
            raise ValueError(f"rules: {count!r} agents begin in the state {state!r}")
    begin = [f"init {names[state]} {int(count)}" for state, count in init.items()]
    return "\n".join([*begin, *lines, ""]), _inverse(names)


def _outcomes(rule: Rule, pair: Pair) -> dict[Pair, int]:
    """Return what can become of a pair, with probabilities in units of 1 / CERTAIN."""
    after: Any = rule.get(pair) if isinstance(rule, Mapping) else rule(*pair)
    if after is None:
        return {pair: CERTAIN}
    if not isinstance(after, Mapping):
        return {_states(pair, after): CERTAIN}
    outcomes: dict[Pair, int] = {}
    left = CERTAIN
    for states, probability in after.items():
        if not 0 <= probability <= 1:
            raise ValueError(f"rules: {probability!r} is no probability, of what {pair!r} becomes")
        # Probabilities that sum to 1 do so after rounding, too.
        weight = round(probability * CERTAIN)
        if -len(after) <= left - weight < 0:
            weight = left
        left -= weight
        if weight:
            states = _states(pair, states)
            outcomes[states] = outcomes.get(states, 0) + weight
    if left < 0:
        raise ValueError(f"rules: the probabilities of what {pair!r} becomes sum to more than 1")
    if 0 < left <= len(after) and outcomes:
        outcomes[states] += left
    elif left:
        outcomes[pair] = outcomes.get(pair, 0) + left
    return outcomes


def _states(pair: Pair, after: Any) -> Pair:
    try:
        first, second = after
        hash((first, second))
    except (TypeError, ValueError):
        raise ValueError(f"rules: {pair!r} becomes {after!r}, and not two states") from None
    return first, second


def _results(results: list[str], weights: list[int]) -> str:
    if len(results) == 1:
        return results[0]
    shares = (f"{weight // 10**6}.{weight % 10**6:06}%" for weight in weights)
    return " | ".join(f"{result} {share}" for result, share in zip(results, shares))


def _named(states: list[Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return names for states, which a file of rules can have, and which are not known yet."""
    names: dict[str, Any] = {}
    for state in states:
        # What has another meaning in the file becomes a stroke.
        base = re.sub(r"[\s,+*%#>|]+", "_", str(state)) or "_"
        name, number = base, 2
        while name in names or name in known:
            name, number = f"{base}_{number}", number + 1
        names[name] = state
    return names


def _inverse(names: Mapping[Any, str]) -> dict[str, Any]:
    return {name: state for state, name in names.items()}


def with_states(report: dict[str, Any], states: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report of a protocol with its states in place of their names."""
    for shown in report.get("outputs", []):
        shown["output"] = states.get(shown["output"], shown["output"])
    for trial in report.get("results", []):
        trial["states"] = {states[name]: count for name, count in trial["states"].items()}
    return report
