"""As adapter.py, but with the client for asyncio."""

import asyncio
import sys

import tenure.aio
from adapter import failed, leader_of, options, say, standing_by


async def watch(member, office):
    last = None
    try:
        async for report in member.watch(office):
            # Its value may have changed, and nothing else.
            if last != leader_of(report):
                last = leader_of(report)
                say(f"office {last}")
    except tenure.Error as error:
        say(f"watch {failed(error)}")


async def stand(member, office, withdraw=None, **how):
    notice = {"lost": lambda: say("lost"), "stopping": lambda: say("stopping")}
    return await asyncio.wait_for(member.stand(office, **how, **notice), withdraw)


async def obey(member, standing, held, word, rest):
    if word == "stand":
        held.append(await stand(standing, rest[0], **options(rest[1:])))
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
        await (held[-1].transfer(rest[0]) if rest else held[-1].resign())
        say("released")
    elif word == "list":
        say(" ".join(["offices"] + [office["office"] for office in await member.list()]))
    elif word == "show":
        say(f"office {leader_of(await member.show(rest[0]))}")
    elif word == "value":
        say(f"value {(await member.show(rest[0])).get('value', '-')}")
    elif word == "watch":
        return asyncio.create_task(watch(member, rest[0]))
    elif word in ("resign", "transfer"):
        await getattr(member, word)(*rest)
        say("done")
    else:
        say(f"no command: {word}")


async def main():
    member, held, tasks = tenure.aio.Member(), [], []
    standing = standing_by(member, tenure.aio.RemoteMember)
    while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        word, *rest = line.split()
        try:
            tasks.append(await obey(member, standing, held, word, rest))
        except (tenure.Error, ValueError) as error:
            say(failed(error))
        except asyncio.TimeoutError:
            say("withdrawn")


asyncio.run(main())
