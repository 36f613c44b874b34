"""Computes the reactions of the process that a file defines: reads questions, and answers each with a line.

Arguments: the file, the most seconds of processor time, the most bytes of memory. A question and its answer are
JSON, as `submission.rs` has them.
"""

import json
import os
import resource
import struct
import sys
import traceback
import types


class Process:
    """What a submission derives its process from, as from that of the package `suffrage`."""

    network = "connected"
    status = "undecided"
    leader = None
    halted = False

    def alarm(self, net):
        """React to an alarm."""


class Member:
    """What a submission derives its member from, which may crash. The package `suffrage` has the same."""

    network = "members"
    term = None
    until = None


class Drawn(BaseException):
    """A number is wanted."""


class Net:
    """The ports of a process, and what it can do during one reaction."""

    def __init__(self, degree, drawn):
        self.degree, self._drawn, self._asked, self._calls = degree, drawn, 0, []

    def send(self, port, message):
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < self.degree:
            raise ValueError(f"there is no port {port!r}: this process has {self.degree}, from 0 on")
        self._calls.append({"send": [port, plain(message)]})

    def send_all(self, message):
        for port in range(self.degree):
            self.send(port, message)

    def send_others(self, than, message):
        for port in range(self.degree):
            if port != than:
                self.send(port, message)

    def choose(self, max):
        if self._asked == len(self._drawn):
            raise Drawn(max)
        self._asked += 1
        return self._drawn[self._asked - 1]

    def set_alarm(self, ticks):
        self._calls.append({"alarm": ticks})

    def reject(self, why):
        self._calls.append({"reject": str(why)})


class MemberNet(Net):
    """What a member can do during one reaction: its ports lead to the members of these numbers."""

    def __init__(self, members, me, drawn):
        super().__init__(members, drawn)
        self._me = me

    def send(self, member, message):
        if type(member) is not int or member == self._me or not 0 <= member < self.degree:
            raise ValueError(f"there is no other member {member!r}: here are {self.degree}, from 0 on")
        self._calls.append({"send": [member, plain(message)]})

    def send_all(self, message):
        self.send_others(self._me, message)

    def send_others(self, than, message):
        for member in range(self.degree):
            if member not in (than, self._me):
                self.send(member, message)

    def set_alarm(self, name, ticks):
        self._calls.append({"ring": [plain(name), whole("ticks", ticks, 1, 2**31)]})

    def cancel_alarm(self, name):
        self._calls.append({"cancel": plain(name)})

    def write(self, number):
        self._calls.append({"write": whole("the record", number, 0, 2**63)})


def whole(what, value, least, end):
    if type(value) is not int or not least <= value < end:
        raise ValueError(f"{what}: it is a number from {least} on, and not {value!r:.80}")
    return value


def plain(value, deep=90):
    """Write a plain value as JSON that tells tuples from lists, and has sets in one order."""
    if deep == 0:
        raise TypeError("a value contains too many others, or itself")
    def all(values):
        return [plain(one, deep - 1) for one in values]
    def ordered(values):
        return sorted(all(values), key=json.dumps)
    kind = type(value)
    if value is None:
        return "none"
    if kind is bool:
        return {"bool": value}
    if kind is int:
        return {"int": value} if -(2**63) <= value < 2**63 else {"big": str(value)}
    if kind is float:
        return {"float": struct.unpack("<Q", struct.pack("<d", value))[0]}
    if kind is str:
        return {"text": value}
    if kind is bytes:
        return {"bytes": list(value)}
    if kind is tuple:
        return {"tuple": all(value)}
    if kind is list:
        return {"list": all(value)}
    if kind is dict:
        return {"dict": [[plain(key, deep - 1), plain(one, deep - 1)] for key, one in value.items()]}
    if kind is set:
        return {"set": ordered(value)}
    if kind is frozenset:
        return {"frozen-set": ordered(value)}
    raise TypeError(
        f"a {kind.__name__} is no plain value: states and messages are None, bool, int, float, str, bytes, and tuples, "
        "lists, dicts and sets of them"
    )


def made(value):
    """Make a plain value of its JSON: a new one each time."""
    if value == "none":
        return None
    ((kind, value),) = value.items()
    if kind in ("bool", "int", "text"):
        return value
    if kind == "big":
        return int(value)
    if kind == "float":
        return struct.unpack("<d", struct.pack("<Q", value))[0]
    if kind == "bytes":
        return bytes(value)
    if kind == "dict":
        return {made(key): made(one) for key, one in value}
    of = {"tuple": tuple, "list": list, "set": set, "frozen-set": frozenset}[kind]
    return of([made(one) for one in value])


def seen(process, name):
    value = getattr(process, name)
    return value() if callable(value) else value


def decided(process):
    """Return what others see of a process."""
    if isinstance(process, Member):
        term = seen(process, "term")
        if term is not None:
            whole("term", term, 1, 2**63)
        return {"member": [term, plain(seen(process, "until"))]}
    status, leader = seen(process, "status"), seen(process, "leader")
    if status not in ("undecided", "leader", "follower"):
        raise ValueError(
            f"status: a process is 'undecided', a 'leader' or a 'follower', and not {status!r:.80}"
        )
    if leader is not None and (type(leader) is not int or not 0 <= leader < 2**64):
        raise ValueError(f"leader: it is an identity or None, and not {leader!r:.80}")
    return {"process": [status, leader, bool(seen(process, "halted"))]}


def done(process, calls):
    state = vars(process)
    return {
        "done": {
            "state": {"dict": [[plain(name), plain(state[name])] for name in sorted(state)]},
            "seen": decided(process),
            "calls": calls,
        }
    }


def answered(submission, question):
    if "begin" in question:
        return done(submission(**question["begin"]), [])
    question = question["react"]
    process = submission.__new__(submission)
    for name, value in question["state"]["dict"]:
        setattr(process, made(name), made(value))
    degree, me, drawn = question["degree"], question["me"], question["drawn"]
    net = Net(degree, drawn) if me is None else MemberNet(degree, me, drawn)
    stimulus = question["stimulus"]
    try:
        if stimulus == "wake":
            process.wake(net)
        elif stimulus == "alarm":
            process.alarm(net)
        elif "start" in stimulus:
            process.start(stimulus["start"], net)
        elif "ring" in stimulus:
            process.ring(made(stimulus["ring"]), net)
        else:
            port, message = stimulus["receive"]
            process.receive(port, made(message), net)
    except Drawn as drawn:
        return {"draws": drawn.args[0]}
    return done(process, net._calls)


def raised(error, path):
    """Describe an exception, with the line of the file in which it was raised."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = [error.lineno]
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    words = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return {"raised": {"words": words[:500], "line": lines[-1] if lines else None}}


def submission(path):
    """Return the process that a file defines."""
    package = types.ModuleType("suffrage")
    package.Process, package.Member, package.Net = Process, Member, Net
    sys.modules["suffrage"] = package
    module = types.ModuleType("submission")
    module.__file__ = path
    sys.modules["submission"] = module
    with open(path, "rb") as file:
        text = file.read()
    exec(compile(text, path, "exec"), vars(module))
    found = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, (Process, Member)) and one.__module__ == "submission"
    ]
    if len(found) != 1:
        names = ", ".join(one.__name__ for one in found) or "none"
        raise TypeError(f"a submission has one class that is derived from suffrage.Process or suffrage.Member; here: {names}")
    for name in ("start", "receive", "ring") if issubclass(found[0], Member) else ("wake", "receive"):
        if not callable(getattr(found[0], name, None)):
            raise TypeError(f"{found[0].__name__} has no method {name}")
    return found[0]


def main():
    path, seconds, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    for usual in (0, 1, 2):
        os.dup2(nothing, usual)
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(kind, (most, most))
    sys.setrecursionlimit(1000)

    def say(answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        process = submission(path)
        code = process.__init__.__code__ if hasattr(process.__init__, "__code__") else None
        told = list(code.co_varnames[1 : code.co_argcount]) if code else []
    except BaseException as error:
        say(raised(error, path))
        return
    say({"told": {"network": str(process.network), "wants": told}})
    for line in questions:
        try:
            answer = answered(process, json.loads(line))
        except BaseException as error:
            answer = raised(error, path)
        say(answer)


main()
