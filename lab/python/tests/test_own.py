"""Processes of one's own are simulated and checked by the engines of the catalogue."""

import importlib.util
import os
import pathlib
import signal
import threading

import pytest

import suffrage


class ChangRoberts(suffrage.Process):
    """The smallest initiator of an oriented ring wins, as in the catalogue."""

    network = "oriented-ring"

    def __init__(self, id):
        self.id = id
        self.lost = False

    def wake(self, net):
        self.smallest = self.id
        net.send(0, ("token", self.id))

    def receive(self, port, message, net):
        kind, id = message
        smallest = getattr(self, "smallest", None)
        if kind == "leader":
            if id != self.id:
                self.status = "follower"
                net.send(0, message)
            self.leader, self.halted = id, True
        elif id == self.id:
            self.status = "leader"
            net.send(0, ("leader", id))
        elif smallest is None or id < smallest:
            self.smallest = id
            net.send(0, message)


class Loudest(suffrage.Process):
    """Every process tells all others its identity, and the largest wins."""

    network = "complete"

    def __init__(self, id, degree):
        self.id = self.largest = id
        self.missing = degree
        self.awake = False

    def wake(self, net):
        self.awake = True
        net.send_all(("call", self.id))
        self.decide()

    def receive(self, port, message, net):
        if not self.awake:
            self.wake(net)
        self.largest = max(self.largest, message[1])
        self.missing -= 1
        self.decide()

    def decide(self):
        if self.awake and self.missing == 0:
            self.status = "leader" if self.largest == self.id else "follower"
            self.leader, self.halted = self.largest, True


class Hasty(Loudest):
    """Believes the first that it hears."""

    def decide(self):
        if self.awake and self.missing < 2:
            self.missing = 0
            super().decide()


FLAGS = {"nodes": 20, "schedule": "uniform:10", "initiators": 7, "seed": 3}


def test_an_election_is_as_that_of_the_same_algorithm_in_the_catalogue():
    own = suffrage.elect(ChangRoberts, **FLAGS)
    known = suffrage.elect("chang-roberts", **FLAGS)
    assert own.held and own["process"] == "ChangRoberts"
    for key in ("leader", "time", "causal_depth", "agreed", "halted", "busiest"):
        assert own[key] == known[key], key
    assert own["messages"]["total"] == known["messages"]["total"]
    assert own["messages"]["by_kind"]["leader"] == 20


def test_every_schedule_is_explored_as_that_of_the_catalogue():
    own = suffrage.check(ChangRoberts, nodes=3)
    known = suffrage.check("chang-roberts", nodes=3)
    assert own.held
    for key in ("instances", "messages", "winners", "verdict", "causal_depth"):
        assert own[key] == known[key], key


def submission(name):
    """Return the election that a file of the course defines."""
    course = pathlib.Path(__file__).parents[3] / "docs" / "learn" / "course"
    about = importlib.util.spec_from_file_location("submission", course / name)
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module.Election


def test_an_error_that_no_schedule_raises_is_none():
    # Reductions ask whether a token could come before the wake-up that was sent before it.
    checked = suffrage.check(submission("solutions/assignment-5.py"), nodes=3)
    assert checked.held and checked["full"]
    known = suffrage.check("tree-wave", nodes=3)
    assert checked["messages"] == known["messages"]


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7])
def test_a_solution_of_the_course_is_an_election(number):
    assert suffrage.check(submission(f"solutions/assignment-{number}.py"), nodes=3).held


@pytest.mark.parametrize("question", [f"{number}{letter}" for number in (1, 2, 3, 4, 5, 6, 7) for letter in "abc"])
def test_a_question_of_the_course_is_no_election(question):
    # Of three, messages reach processes that have halted, and two send too many: claims, which are made in Rust.
    claimed = question in ("1b", "2b", "3b", "5c", "6c")
    assert suffrage.check(submission(f"questions/{question}.py"), nodes=3).held == claimed


def test_members_that_crash_are_for_the_grader_alone():
    for name in ("solutions/assignment-8", "questions/8a"):
        with pytest.raises(TypeError, match="Election has no `network`: a process is a class"):
            suffrage.check(submission(f"{name}.py"), nodes=3)


def test_a_fault_is_found_with_its_shortest_execution():
    assert suffrage.check(Loudest, nodes=3).held
    broken = suffrage.check(Hasty, nodes=3)
    assert not broken.held and broken["verdict"] == "broken"
    assert broken["counterexample"]["shortest"]
    assert "sends call(1) to all" in broken["diagram"]


def test_graphs_and_diagrams():
    networkx = pytest.importorskip("networkx")
    own = suffrage.elect(Loudest, networkx.complete_graph(4), draw=True)
    assert own["leader"]["id"] == 4 and "p3" in own["diagram"]
    with pytest.raises(ValueError, match="wants a complete network"):
        suffrage.elect(Loudest, networkx.cycle_graph(5))


class SmallestRotation(suffrage.Process):
    """Every process reads the labels of the whole ring; the one that reads the smallest word wins."""

    network = "homonym-ring"

    def __init__(self, id, size, multiplicity):
        self.word = [id]
        self.size, self.multiplicity = size, multiplicity
        self.awake = False

    def wake(self, net):
        self.awake = True
        net.send(0, ("label", self.word[0]))

    def receive(self, port, message, net):
        if not self.awake:
            self.wake(net)
        self.word.append(message[1])
        if len(self.word) < self.size:
            net.send(0, message)
            return
        if max(map(self.word.count, self.word)) != self.multiplicity:
            raise ValueError(f"{self.word} has another multiplicity than {self.multiplicity}")
        smallest = min(self.word[at:] + self.word[:at] for at in range(self.size))
        self.status = "leader" if self.word == smallest else "follower"
        self.leader, self.halted = smallest[0], True


def test_homonyms_elect_the_process_that_they_do_in_the_catalogue():
    for ids in ("list:2,1,1,2,1", "homonyms:3"):
        own = suffrage.elect(SmallestRotation, nodes=5, ids=ids, schedule="random")
        known = suffrage.elect("lyndon-word", nodes=5, ids=ids)
        assert own.held and own["leader"] == known["leader"], ids
        assert own["messages"]["total"] == 5 * 4
    # Every asymmetric labelling of three processes, as of those of the catalogue.
    own, known = (suffrage.check(one, nodes=3) for one in (SmallestRotation, "lyndon-word"))
    assert own.held and own["instances"] == known["instances"]
    with pytest.raises(ValueError, match="the labels repeat after every 2 processes"):
        suffrage.elect(SmallestRotation, nodes=4, ids="list:1,2,1,2")
    with pytest.raises(ValueError, match="two processes have the identity 1"):
        suffrage.elect(ChangRoberts, nodes=5, ids="homonyms:3")


class Lots(suffrage.Process):
    """The only process of its network is the leader if its coins say so."""

    network = "connected"

    def __init__(self, size, degree):
        self.coins = []

    def wake(self, net):
        while sum(self.coins) < 2:
            if len(self.coins) == 3:
                self.status, self.halted = "follower", True
                return
            self.coins.append(net.choose(1))
        self.status, self.halted = "leader", True


def test_random_choices_are_coins_and_branches():
    seen = {suffrage.elect(Lots, "path:1", seed=seed).held for seed in range(10)}
    assert seen == {False, True}
    assert suffrage.elect(Lots, "path:1", seed=4) == suffrage.elect(Lots, "path:1", seed=4)
    assert not suffrage.check(Lots, "path:1").held


def test_an_error_of_a_reaction_is_raised():
    class Wrong(Loudest):
        def receive(self, port, message, net):
            raise ZeroDivisionError("in a reaction")

    for run in (suffrage.elect, suffrage.check):
        with pytest.raises(ZeroDivisionError, match="in a reaction"):
            run(Wrong, nodes=3)


@pytest.mark.parametrize(
    "change, error, why",
    [
        ({"status": "president"}, ValueError, "and not 'president'"),
        ({"network": "star"}, ValueError, '"star" is no kind of networks'),
        ({"__init__": lambda self, colour: None}, ValueError, "asks for 'colour'"),
        ({"wake": lambda self, net: net.send(9, 1)}, ValueError, "there is no port 9"),
        ({"wake": lambda self, net: net.send(0, object())}, TypeError, "plain values"),
        ({"wake": lambda self, net: setattr(self, "f", print)}, TypeError, "plain values"),
        ({"wake": lambda self, net: [net.send(0, f"{i}") for i in range(17)]}, ValueError, "16"),
    ],
)
def test_what_is_no_process_is_refused(change, error, why):
    with pytest.raises(error, match=why):
        suffrage.elect(type("Wrong", (Loudest,), change), nodes=3)


def test_a_class_that_lacks_something_is_refused_for_that():
    class Plain:
        def __init__(self, id):
            self.status, self.leader, self.halted = "undecided", None, False

        def wake(self, net):
            pass

        def receive(self, port, message, net):
            pass

    class Deaf(suffrage.Process):
        def __init__(self):
            pass

        def wake(self, net):
            net.send_all("hello")

    with pytest.raises(TypeError, match="Plain has no `network`: .* derived from suffrage.Process"):
        suffrage.elect(Plain)
    with pytest.raises(TypeError, match="a Deaf is neither a name nor a class of processes"):
        suffrage.elect(Deaf())
    with pytest.raises(NotImplementedError, match="Deaf has no method receive"):
        suffrage.elect(Deaf, "path:2", initiators=1)
    assert not suffrage.elect(Deaf, "path:1").held


def test_a_class_without_a_network_is_for_any():
    class Anywhere(Loudest):
        network = suffrage.Process.network

    assert suffrage.elect(Anywhere, "complete:4").held
    assert suffrage.elect(Anywhere)["network"]["nodes"] == 16


def test_what_is_for_the_catalogue_is_refused():
    with pytest.raises(ValueError, match="^trials: it is for algorithms of the catalogue"):
        suffrage.elect(Loudest, trials=10)
    with pytest.raises(ValueError, match="^each: it is for algorithms of the catalogue"):
        suffrage.elect(Loudest, each=True)


def test_random_schedules_are_sampled():
    held = suffrage.check(Loudest, nodes="4..6", sample=50)
    assert held.held and held["process"] == "Loudest" and held["samples"] == 50
    broken = suffrage.check(Hasty, nodes="4..6", sample=50)
    assert not broken.held and "call(" in broken["diagram"]
    assert suffrage.check(Hasty, nodes="4..6", seeds=range(1, 50))["verdict"] == "broken"
    with pytest.raises(ValueError, match="sample or seeds and ids: leave one of them out"):
        suffrage.check(Loudest, ids=[1, 2], sample=10)


def test_what_fails_without_faults_fails_where_messages_overtake():
    class Silent(Loudest):
        """Never decides."""

        def decide(self):
            pass

    assert not suffrage.check(Silent, nodes=3).held
    for nodes in ({"nodes": 3}, {"nodes": 4, "sample": 20}):
        broken = suffrage.check(Silent, fault="no-fifo", **nodes)
        assert not broken.held and broken["verdict"] == "broken"
    assert not suffrage.elect(Silent, nodes=3, fault="no-fifo", schedule="uniform:10").held
    assert suffrage.check(Loudest, nodes=3, fault="no-fifo").held


@pytest.mark.parametrize("network", ["connected", "homonym-ring"])
def test_runs_are_watched_and_drawn(network):
    class Ring(ChangRoberts if network == "connected" else SmallestRotation):
        pass

    run = suffrage.elect(Ring, nodes=4)
    page = suffrage.watch(run)
    assert suffrage.watch(Ring).html == suffrage.watch(suffrage.elect(Ring, nodes=8)).html
    kind = "token" if network == "connected" else "label"
    assert "Ring on" in page.html and f'"{kind}"' in page.html
    assert f"{kind}(" in str(suffrage.draw(run))
    assert suffrage.draw(run, format="svg").text.startswith("<svg")
    broken = suffrage.check(Hasty, nodes=3)
    assert str(suffrage.draw(broken)).strip() in broken["diagram"].strip()
    assert "Hasty on" in suffrage.watch(broken).html
    with pytest.raises(ValueError, match="no run that could be shown"):
        suffrage.draw(suffrage.check(Loudest, nodes=3, fault="loss:1"))


def test_a_loop_in_a_reaction_is_interrupted():
    class Looping(Loudest):
        def wake(self, net):
            while True:
                pass

    for run in (suffrage.elect, suffrage.check):
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(suffrage.Interrupted) as caught:
            run(Looping, nodes=3)
        timer.join()
        assert caught.value.result is None
    # The next run knows nothing of it.
    assert suffrage.elect(Loudest, nodes=3).held


class Endless(suffrage.Process):
    """Sends its message back forever."""

    def __init__(self):
        pass

    def wake(self, net):
        net.send_all("ping")

    def receive(self, port, message, net):
        net.send(port, message)


def test_an_endless_run_ends_at_its_limit_or_is_interrupted():
    limited = suffrage.elect(Endless, "path:2", event_limit=1000)
    assert not limited.held
    timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(suffrage.Interrupted) as caught:
        suffrage.elect(Endless, "path:2", event_limit=10**9)
    timer.join()
    assert caught.value.result["interrupted_after"] > 0
