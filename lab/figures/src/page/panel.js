// What is chosen, a process or a message, and what is known of it.

/** The most rows of a list: those around the present are shown. */
const ROWS = 300;

/** What is chosen. */
class Chosen {
  constructor(run) {
    this.run = run;
    this.clear();
  }

  clear() {
    [this.process, this.message, this.cone] = [-1, -1, null];
  }

  chooseProcess(process) {
    this.clear();
    this.process = process;
  }

  chooseMessage(message) {
    this.clear();
    this.message = message;
    // Under faults causes are not known.
    if (!this.run.tenure) this.cone = cone(this.run, message);
  }

  /** Whether a message is the chosen one, or belongs to its causes or effects. */
  holds(message) {
    return message === this.message || this.cone.causes.messages.has(message) || this.cone.effects.messages.has(message);
  }

  touches(event) {
    return this.cone.causes.events.has(event) || this.cone.effects.events.has(event);
  }

  /** How the arrow of a message is drawn. */
  layer(message) {
    if (message === this.message) return "self";
    if (this.cone === null) return "plain";
    if (this.cone.causes.messages.has(message)) return "cause";
    return this.cone.effects.messages.has(message) ? "effect" : "dim";
  }
}

class Panel {
  constructor(run, player) {
    this.player = player;
    this.place = byId("chosen");
    this.show(run);
    byId("process").addEventListener("change", (event) => player.choose({ process: Number(event.target.value) }));
    byId("unchoose").addEventListener("click", () => player.choose(null));
  }

  show(run) {
    this.run = run;
    this.key = undefined;
    const options = run.heads.map((head, node) => {
      const name = run.network.names[node];
      return element("option", { value: node }, `${name ? `${name}, ` : ""}p${node}, ${head}`);
    });
    byId("process").replaceChildren(element("option", { value: -1 }, "none"), ...options);
  }

  /** Shows what is chosen; nothing is made anew that is as it was. */
  draw(moment, chosen) {
    const key = [chosen.process, chosen.message, chosen.process < 0 ? "" : moment.cursor].join();
    if (key === this.key) return;
    this.key = key;
    byId("process").value = String(chosen.process);
    byId("details").hidden = chosen.process < 0 && chosen.message < 0;
    if (chosen.process >= 0) this.process(moment, chosen.process);
    else if (chosen.message >= 0) this.message(chosen);
  }

  process(moment, node) {
    const { run } = this;
    const life = moment.lives[node];
    const counts = run.tenure ? "" : `; sent ${grouped(moment.sent[node])}, received ${grouped(moment.received[node])}`;
    const line = element("p", { class: "chosen-line" }, `${nameOf(run, node)}, ${run.heads[node]}: ${lifeWords(life)}${counts}`);
    const children = [line];
    if (moment.states[node] >= 0) children.push(this.state(moment, node));
    const list = element("ul", { class: "rows", "aria-label": "What it has sent and received" });
    const own = run.of[node];
    const past = own.filter((number) => number < moment.cursor).length;
    const first = Math.max(0, Math.min(past - ROWS / 2, own.length - ROWS));
    for (const number of own.slice(first, first + ROWS)) list.append(...this.rows(run.events[number], number >= moment.cursor));
    children.push(list);
    this.place.replaceChildren(...children);
    const present = list.querySelector(".later")?.parentElement ?? list.lastElementChild;
    if (!present) return;
    const wanted = present.offsetTop - list.clientHeight * 0.7;
    const upper = [...list.children].find((row) => row.offsetTop >= wanted);
    list.scrollTop = (upper ?? present).offsetTop - list.firstElementChild.offsetTop;
  }

  /** The variables of a state; what its last reaction has changed stands out. */
  state(moment, node) {
    const { run } = this;
    const before = moment.changed[node] >= 0 ? new Map(variables(run.states[moment.changed[node]])) : null;
    const list = element("dl", { class: "state", "aria-label": "Its state" });
    for (const [name, value] of variables(run.states[moment.states[node]])) {
      const changed = before !== null && before.get(name) !== value;
      const was = changed && before.has(name) ? `before: ${before.get(name)}` : false;
      list.append(element("dt", {}, name), element("dd", { class: changed ? "changed" : false, title: was }, value));
    }
    return list;
  }

  /** An event of a process: what it received, and a row for each message that it sent. */
  rows(event, later) {
    const { run, player } = this;
    const row = (sign, words, onclick) => element("li", {}, element(
      "button", { type: "button", class: later ? "later" : false, onclick },
      element("time", {}, instant(run, event.at)), sign ?? element("span"), words,
    ));
    if (run.tenure) return [row(null, event.words, () => player.goTo(event.at))];
    const made = [];
    const kindOf = (number) => kindSign(run.messages[number].kind);
    const choose = (number) => () => player.choose({ message: number });
    if (event.message >= 0) {
      const message = run.messages[event.message];
      made.push(row(kindOf(event.message), `← ${message.words} from ${nameOf(run, message.from)}`, choose(event.message)));
    } else {
      made.push(row(null, event.words.split(" · ")[0], () => player.goTo(event.at)));
    }
    for (const number of event.sends) {
      const message = run.messages[number];
      made.push(row(kindOf(number), `→ ${message.words} to ${nameOf(run, message.to)}`, choose(number)));
    }
    for (const [who, life] of event.becomes) {
      if (who === event.node && life !== "open") made.push(row(null, lifeWords(life), () => player.goTo(event.at)));
    }
    return made;
  }

  message(chosen) {
    const { run, player } = this;
    const message = run.messages[chosen.message];
    const at = (number) => clockAt(run, run.events[number].at);
    const to = (number) => () => player.goTo(run.events[number].at);
    const line = element("p", { class: "chosen-line" }, kindSign(message.kind), ` ${message.words}, from ${nameOf(run, message.from)} to ${nameOf(run, message.to)}`);
    const facts = element("dl");
    const fact = (name, ...value) => facts.append(element("dt", {}, name), element("dd", {}, ...value));
    const jump = (number) => element("button", { type: "button", onclick: to(number) }, at(number));
    if (message.sent >= 0) fact("sent", jump(message.sent));
    else if (message.at !== undefined) fact("sent", element("button", { type: "button", onclick: () => player.goTo(message.at) }, clockAt(run, message.at)));
    if (message.ends >= 0) fact(message.lost ? "lost" : "arrives", jump(message.ends));
    else fact("arrives", message.lost ? "never: it is lost" : "never in this run");
    const children = [line, facts];
    if (chosen.cone) {
      const { causes, effects } = chosen.cone;
      fact("causes", element("span", { class: "cause" }, `${plural(causes.messages.size, "message")} before it, at ${this.reach(causes)}`));
      fact("effects", element("span", { class: "effect" }, `${plural(effects.messages.size, "message")} after it, at ${this.reach(effects)}`));
      if (run.chain.includes(chosen.message)) fact("chain", "in the longest causal chain of the run");
      children.push(this.list("Its causes", causes.messages), this.list("Its effects", effects.messages));
    }
    this.place.replaceChildren(...children);
  }

  /** At how many processes something happens. */
  reach({ events }) {
    const processes = new Set([...events].map((event) => this.run.events[event].node));
    return plural(processes.size, "process", "processes");
  }

  list(name, numbers) {
    const { run, player } = this;
    const list = element("ul", { class: "rows", "aria-label": name });
    for (const number of [...numbers].sort((a, b) => a - b).slice(0, ROWS)) {
      const message = run.messages[number];
      const words = `${message.words}, ${nameOf(run, message.from)} → ${nameOf(run, message.to)}`;
      const time = message.sent >= 0 ? instant(run, run.events[message.sent].at) : "";
      list.append(element("li", {}, element(
        "button", { type: "button", onclick: () => player.choose({ message: number }) },
        element("time", {}, time), kindSign(message.kind), words,
      )));
    }
    return numbers.size === 0 ? element("span") : element("details", {}, element("summary", {}, `${name} (${grouped(numbers.size)})`), list);
  }

  /** Which invariants of the algorithm hold, and which have been broken. */
  invariants(now) {
    const { run } = this;
    const { invariants } = run.about;
    const key = invariants.map(({ broken }) => broken !== null && broken <= now + 1e-9).join();
    if (this.held === key && this.of === invariants) return;
    Object.assign(this, { held: key, of: invariants });
    byId("invariants").hidden = invariants.length === 0;
    byId("held").replaceChildren(...invariants.map(({ name, says, broken }) => {
      const is = broken !== null && broken <= now + 1e-9;
      const state = is ? `✗ ${name}, broken at ${clockAt(run, broken)}` : `✓ ${name}`;
      const line = element("summary", { title: says || false }, state);
      return element("li", { class: is ? "broken" : false }, element("details", {}, line, element("p", {}, says)));
    }));
  }
}
