// The run: its events and messages, and indices of them. Events and messages are known by their numbers.

/** Reads the run from its content. */
function readRun({ run, network, about, tenure, choices, file }) {
  const events = run.events.map(([at, node, message, sign, words, becomes, state], number) =>
    ({ number, at, node, message, sign, words: words.replace(/ of step (\d+)/g, (_, at) => ` of ${run.clock} ${grouped(at)}`), becomes, state, sends: [] }));
  // Under faults there are more kinds than those of the messages that change something.
  const kinds = tenure ? tenure.kinds : run.kinds;
  const kindOf = run.kinds.map((name) => kinds.indexOf(name));
  const messages = run.messages.map(([kind, from, to, sent, ends, lost, words], number) =>
    ({ number, kind: kindOf[kind], from, to, sent, ends, lost: lost === 1, again: lost === 2, words }));
  if (tenure) addVotes(events, messages, tenure);
  const nodes = run.heads.length;
  const of = Array.from({ length: nodes }, () => []);
  const before = new Int32Array(events.length).fill(-1);
  for (const event of events) {
    if (event.node < 0) continue;
    const own = of[event.node];
    if (own.length > 0) before[event.number] = own[own.length - 1];
    own.push(event.number);
  }
  for (const message of messages) {
    if (message.sent >= 0) events[message.sent].sends.push(message.number);
  }
  const times = [...new Set(events.map((event) => event.at))].sort((a, b) => a - b);
  if (tenure && tenure.length > (times[times.length - 1] ?? 0)) times.push(tenure.length);
  const last = times[times.length - 1] ?? 0;
  const known = {
    ...run, kinds, events, messages, nodes, of, before, times, network, about, tenure, choices, file,
    // Members crash and start again; whether with a clock or by steps.
    ofMembers: run.life === "has not started",
    start: tenure ? 0 : (times[0] ?? 0) - 1,
    end: tenure ? last : last + 0.35,
    after: successors(events, of),
    announces: kinds.map((kind) => about.announces.includes(kind)),
    // Three nodes that are all linked are a ring only where they are called one.
    isRing: nodes > (about.facts.some(([, value]) => String(value).startsWith("ring")) ? 2 : 3) && network.links.length === nodes
      && network.links.every(([a, b]) => Math.abs(a - b) === 1 || Math.abs(a - b) === nodes - 1),
  };
  known.rows = rowsOf(known);
  const own = new Map();
  for (const event of events) {
    event.row = rowAt(known, event.at);
    // Those of one process at one instant stand below each other.
    const above = own.get(event.node);
    if (above && above.at === event.at) event.row = Math.min(above.row + 0.14, event.row + 0.7);
    own.set(event.node, event);
  }
  for (const message of messages) {
    message.row = message.sent >= 0 ? events[message.sent].row : message.at === undefined ? -1 : rowAt(known, message.at);
  }
  // What each process becomes: the event and what it is from then on.
  known.lifelines = Array.from({ length: nodes }, () => []);
  for (const event of events) {
    for (const [node, life] of event.becomes) known.lifelines[node].push([event, life]);
  }
  return known;
}

/** The most messages in the diagram of a run under faults, besides those that change something. */
const VOTES = 1000;

/**
 * Under faults the run has the messages that change something. This adds the others of those kinds that are few, such
 * as votes, as long as there is room: not what is sent all the time. It also adds when each message is sent.
 */
function addVotes(events, messages, { kinds, flights }) {
  const key = (kind, from, to, ends) => [kind, from, to, ends].join();
  for (const message of messages) message.arrival = events[message.ends];
  const drawn = new Map(messages.filter(({ arrival }) => arrival)
    .map((message) => [key(message.kind, message.from, message.to, message.arrival.at), message]));
  const counts = new Array(kinds.length).fill(0);
  for (const [kind] of flights) counts[kind] += 1;
  let room = VOTES;
  const rarest = [...kinds.keys()].sort((a, b) => counts[a] - counts[b]);
  const few = new Set(rarest.filter((kind) => (room -= counts[kind]) >= 0));
  for (const [kind, from, to, at, ends, lost] of flights) {
    const known = lost ? undefined : drawn.get(key(kind, from, to, ends));
    if (known) known.at = at;
    if (known || !few.has(kind)) continue;
    const message = { number: messages.length, kind, from, to, sent: -1, ends: -1, lost: lost === 1, words: kinds[kind], at };
    messages.push(message);
    if (lost || ends < 0) continue;
    const words = `p${to} gets ${kinds[kind]} from p${from}`;
    message.arrival = { at: ends, node: to, message: message.number, sign: "receive", words, becomes: [], state: -1, sends: [] };
    events.push(message.arrival);
  }
  events.sort((a, b) => a.at - b.at).forEach((event, number) => (event.number = number));
  for (const message of messages) message.ends = message.arrival?.number ?? -1;
}

/**
 * The row of each distinct instant in the diagram: its tick. Under faults nothing happens for seconds, and then
 * much in a millisecond: there rows are at least as far apart as lines of text, and at most as three.
 */
function rowsOf({ times, tenure }) {
  if (!tenure) return times;
  let row = 0;
  return times.map((time, i) => {
    const gap = i === 0 ? 0 : time - times[i - 1];
    row += Math.min(3, Math.max(0.8, gap / 20));
    return row;
  });
}

/** The row of any instant. */
function rowAt(run, now) {
  if (!run.tenure) return now;
  const step = stepAt(run, now);
  const [before, after] = [run.rows[step - 1] ?? 0, run.rows[step]];
  if (after === undefined) return before;
  const [from, to] = [run.times[step - 1] ?? run.start, run.times[step]];
  return before + ((after - before) * (now - from)) / Math.max(to - from, 1e-9);
}

/** The instant of any row. */
function instantAt(run, row) {
  if (!run.tenure) return row;
  const step = countUpTo(run.rows.length, (i) => run.rows[i], row);
  const [before, after] = [run.rows[step - 1] ?? 0, run.rows[step]];
  if (after === undefined) return run.end;
  const [from, to] = [run.times[step - 1] ?? run.start, run.times[step]];
  return from + ((to - from) * (row - before)) / Math.max(after - before, 1e-9);
}

/** For each event the one after it at the same process, or -1. */
function successors(events, of) {
  const after = new Int32Array(events.length).fill(-1);
  for (const own of of) {
    for (let i = 1; i < own.length; i += 1) after[own[i - 1]] = own[i];
  }
  return after;
}

/** The number of instants, in ascending order, that are not after `now`. */
function countUpTo(length, at, now) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) <= now + 1e-9) low = middle + 1; else high = middle;
  }
  return low;
}

/** The number of events up to an instant. */
function cursorAt(run, now) {
  return countUpTo(run.events.length, (i) => run.events[i].at, now);
}

/** The number of distinct instants up to an instant: the step. */
function stepAt(run, now) {
  return countUpTo(run.times.length, (i) => run.times[i], now);
}

/** The instant of a step; step 0 is before the first event. */
const timeOf = (run, step) => (step <= 0 ? run.start : run.times[Math.min(step, run.times.length) - 1]);

/** What the run is like after some of its events. It goes forward event by event, and back from the start. */
class Moment {
  constructor(run) {
    this.run = run;
    this.reset();
  }

  reset() {
    const { run } = this;
    this.cursor = 0;
    this.lives = new Array(run.nodes).fill(run.life);
    this.states = Array.from({ length: run.nodes }, (_, node) => run.first[node] ?? -1);
    this.changed = new Int32Array(run.nodes).fill(-1);
    this.sent = new Uint32Array(run.nodes);
    this.received = new Uint32Array(run.nodes);
    this.kinds = new Uint32Array(run.kinds.length);
    this.underWay = new Set();
    this.total = 0;
  }

  goTo(cursor) {
    if (cursor < this.cursor) this.reset();
    while (this.cursor < cursor) this.apply(this.run.events[this.cursor]);
  }

  apply(event) {
    const { messages } = this.run;
    this.cursor = event.number + 1;
    for (const [node, life] of event.becomes) this.lives[node] = life;
    if (event.state >= 0) {
      this.changed[event.node] = this.states[event.node];
      this.states[event.node] = event.state;
    }
    if (event.message >= 0 && messages[event.message].ends === event.number) {
      this.underWay.delete(event.message);
      if (event.sign !== "lose" && event.sign !== "discard") this.received[messages[event.message].to] += 1;
    }
    for (const number of event.sends) {
      const message = messages[number];
      if (!message.again) {
        this.sent[message.from] += 1;
        this.kinds[message.kind] += 1;
        this.total += 1;
      }
      if (message.ends >= 0 || !message.lost) this.underWay.add(number);
    }
  }
}

/** How far a message is on its way, from 0 to 1. One that never arrives stays on it. */
function progress(run, message, now) {
  const sent = run.events[message.sent].at;
  if (message.ends < 0) {
    const gone = now - sent;
    return 0.8 * gone / (gone + 3);
  }
  const ends = run.events[message.ends].at;
  return ends > sent ? Math.min(1, Math.max(0, (now - sent) / (ends - sent))) : 1;
}

/** The causal past of a message, and what follows from it: sets of events and of messages. */
function cone(run, number) {
  const message = run.messages[number];
  const causes = { events: new Set(), messages: new Set() };
  const effects = { events: new Set(), messages: new Set() };
  const stack = [message.sent];
  while (stack.length > 0) {
    const event = stack.pop();
    if (event < 0 || causes.events.has(event)) continue;
    causes.events.add(event);
    stack.push(run.before[event]);
    const cause = run.events[event].message;
    if (cause >= 0 && run.messages[cause].ends === event) {
      causes.messages.add(cause);
      stack.push(run.messages[cause].sent);
    }
  }
  if (message.ends >= 0 && !message.lost) stack.push(message.ends);
  while (stack.length > 0) {
    const event = stack.pop();
    if (event < 0 || effects.events.has(event)) continue;
    effects.events.add(event);
    stack.push(run.after[event]);
    for (const next of run.events[event].sends) {
      effects.messages.add(next);
      if (!run.messages[next].lost) stack.push(run.messages[next].ends);
    }
  }
  return { causes, effects };
}
