"""Does with the client what standard input says, a line each, for the dialogues; ../../dialogues/README.md has the words."""

import os
import signal
import ssl
import sys
import threading

import tenure


saying = threading.Lock()


def standing_by(member, remote):
    """What stands: a member of another host, if the environment names one, or else the own one."""
    url, authority = os.environ.get("TENURE_URL"), os.environ.get("TENURE_AUTHORITY")
    context = authority and ssl.create_default_context(cafile=authority)
    return remote(url, os.environ["TENURE_TOKEN"], context) if url else member


def say(text):
    with saying:
        print(text, flush=True)


def failed(error):
    if isinstance(error, ValueError):
        return "no value"
    if isinstance(error, tenure.NotWon):
        return "not won"
    if isinstance(error, tenure.Refused):
        return f"refused {error.code}"
    if isinstance(error, tenure.NotLeading):
        return "not leading"
    return "error"


def leader_of(office):
    return f"{office['office']} {office['leader'] or '-'} {office['term'] or '-'}"


def watch(member, office):
    last = None
    try:
        for report in member.watch(office):
            # Its value may have changed, and nothing else.
            if last != leader_of(report):
                last = leader_of(report)
                say(f"office {last}")
    except tenure.Error as error:
        say(f"watch {failed(error)}")


class Withdrawn(BaseException):
    """As a KeyboardInterrupt is."""


def withdraw(*_):
    raise Withdrawn


def stand(member, office, withdraw=None, **how):
    signal.setitimer(signal.ITIMER_REAL, withdraw or 0)
    try:
        return member.stand(office, **how)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def options(words):
    known = {"priority": int, "stop": float, "wait": float, "value": str, "withdraw": float}
    given = dict(word.split("=") for word in words if "=" in word)
    return {**{name: known[name](value) for name, value in given.items()}, "only_try": "try" in words}


def obey(member, standing, held, word, rest):
    if word == "stand":
        notice = {"lost": lambda: say("lost"), "stopping": lambda: say("stopping")}
        held.append(stand(standing, rest[0], **options(rest[1:]), **notice))
        say(f"leads {held[-1].term}")
    elif word == "valid":
        say(f"valid {round(held[-1].valid_for() * 1000)}")
    elif word == "proclaim":
        held[-1].proclaim(" ".join(rest))
        say("proclaimed")
    elif word == "check":
        held[-1].check()
        say("leads")
    elif word == "release":
        held[-1].transfer(rest[0]) if rest else held[-1].resign()
        say("released")
    elif word == "list":
        say(" ".join(["offices"] + [office["office"] for office in member.list()]))
    elif word == "show":
        say(f"office {leader_of(member.show(rest[0]))}")
    elif word == "value":
        say(f"value {member.show(rest[0]).get('value', '-')}")
    elif word == "watch":
        threading.Thread(target=watch, args=(member, rest[0]), daemon=True).start()
    elif word in ("resign", "transfer"):
        getattr(member, word)(*rest)
        say("done")
    else:
        say(f"no command: {word}")


def main():
    signal.signal(signal.SIGALRM, withdraw)
    member, held = tenure.Member(), []
    standing = standing_by(member, tenure.RemoteMember)
    for line in sys.stdin:
        word, *rest = line.split()
        try:
            obey(member, standing, held, word, rest)
        except (tenure.Error, ValueError) as error:
            say(failed(error))
        except Withdrawn:
            say("withdrawn")


if __name__ == "__main__":
    main()
