// Does with the client what standard input says, a line each, for the dialogues; ../../dialogues/README.md has the words.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Member, NotLeading, NotWon, Refused, RemoteMember, TenureError } from "../tenure.js";

function say(text) {
  process.stdout.write(`${text}\n`);
}

function failed(error) {
  if (error instanceof NotWon) return "not won";
  if (error instanceof Refused) return `refused ${error.code}`;
  if (error instanceof NotLeading) return "not leading";
  if (error.name === "TimeoutError") return "withdrawn";
  if (error instanceof RangeError) return "no value";
  if (error instanceof TenureError) return "error";
  throw error;
}

function leaderOf({ office, leader, term }) {
  return `${office} ${leader ?? "-"} ${term ?? "-"}`;
}

async function watch(member, office) {
  let last;
  try {
    for await (const report of member.watch(office)) {
      // Its value may have changed, and nothing else.
      if (last !== leaderOf(report)) say(`office ${(last = leaderOf(report))}`);
    }
  } catch (error) {
    say(`watch ${failed(error)}`);
  }
}

function options(words) {
  const given = Object.fromEntries(words.map((word) => word.split("=")));
  return {
    priority: given.priority && Number(given.priority),
    stop: given.stop && given.stop * 1000,
    wait: given.wait && given.wait * 1000,
    value: given.value,
    try: "try" in given,
    signal: given.withdraw && AbortSignal.timeout(given.withdraw * 1000),
  };
}

let leadership;

function listen({ lost, stopping }) {
  lost.addEventListener("abort", () => say("lost"));
  stopping.addEventListener("abort", () => lost.aborted || say("stopping"));
}

const COMMANDS = {
  async stand(_, office, ...words) {
    leadership = await standing.stand(office, options(words));
    listen(leadership);
    return `leads ${leadership.term}`;
  },
  valid: () => `valid ${Math.round(leadership.validFor())}`,
  check() {
    leadership.check();
    return "leads";
  },
  proclaim(_, ...words) {
    leadership.proclaim(words.join(" "));
    return "proclaimed";
  },
  async release(_, to) {
    await (to ? leadership.transfer(to) : leadership.resign());
    return "released";
  },
  list: async (member) => ["offices", ...(await member.list()).map(({ office }) => office)].join(" "),
  show: async (member, office) => `office ${leaderOf(await member.show(office))}`,
  value: async (member, office) => `value ${(await member.show(office)).value ?? "-"}`,
  watch: (member, office) => void watch(member, office),
  resign: (member, office) => member.resign(office).then(() => "done"),
  transfer: (member, office, to) => member.transfer(office, to).then(() => "done"),
};

const member = new Member();
const { TENURE_URL, TENURE_TOKEN, TENURE_AUTHORITY } = process.env;
const ca = TENURE_AUTHORITY && readFileSync(TENURE_AUTHORITY);
// A member of another host, if the environment names one, or else the own one.
const standing = TENURE_URL ? new RemoteMember(TENURE_URL, TENURE_TOKEN, { ca }) : member;
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.split(" ");
  try {
    const said = await COMMANDS[word](member, ...rest);
    if (said) say(said);
  } catch (error) {
    say(failed(error));
  }
}
process.exit();
