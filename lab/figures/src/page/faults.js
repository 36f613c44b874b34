// Faults by a click, in a run of Tenure: members are suspended or crash, links are cut. The program simulates the run
// again with the faults so far; what came before a fault is as it was.

/** How much is simulated beyond the present, in milliseconds. */
const AHEAD = 15000;

class Faults {
  constructor(scheduler) {
    this.scheduler = scheduler;
    this.player = scheduler.player;
    this.listen();
  }

  /** Begins anew, with so many members. */
  async begin(members, seed) {
    Object.assign(this, { members, seed, entries: [], length: AHEAD });
    await this.ask(0);
    byId("new").open = false;
  }

  /** The faults as a script: a line for each, as files of `--faults` have them. */
  get script() {
    return this.entries.map(({ at, until, fault }) => {
      const lasts = until === null ? "" : `for ${until - at}ms `;
      return `at ${at}ms ${lasts}${fault}\n`;
    }).join("");
  }

  /** Asks for the run with the faults so far, and shows it at this instant. */
  async ask(now) {
    const { members, seed, length, script, scheduler, player } = this;
    const { playing } = player;
    try {
      const content = await scheduler.program.ask({ tenure: { members, seed, millis: length, script } });
      byId("refused").hidden = true;
      scheduler.take(readRun(content));
      player.show(scheduler.run, now);
      if (playing) player.play();
    } catch (error) {
      scheduler.refuse(error);
    }
  }

  /** The present instant, in whole milliseconds. */
  get now() {
    return Math.floor(this.player.now);
  }

  /** The faults of an instant. */
  at(now) {
    return this.entries.filter(({ at, until }) => at <= now && (until === null || until > now));
  }

  /** What was chosen for later is dropped: from here on it is chosen anew. */
  forget(now) {
    this.entries = this.entries.filter(({ at }) => at <= now);
    for (const entry of this.entries) {
      if (entry.until !== null && entry.until > now) entry.until = null;
    }
    this.length = Math.max(this.length, now + AHEAD);
  }

  /** Ends a fault if it is there now, and begins it if it is not. */
  toggle(fault) {
    const { now } = this;
    this.forget(now);
    const present = this.at(now).find((entry) => entry.fault === fault);
    if (present && present.at < now) present.until = now;
    else if (present) this.entries.splice(this.entries.indexOf(present), 1);
    else this.entries.push({ at: now, until: null, fault });
    return this.ask(now);
  }

  /** Ends all faults. */
  heal() {
    const { now } = this;
    this.forget(now);
    this.entries = this.entries.filter(({ at }) => at < now);
    for (const entry of this.at(now)) entry.until = now;
    return this.ask(now);
  }

  /** A click on a member or a link of the network. */
  click(what, x, y) {
    if (what !== null && what.process !== undefined) {
      this.member(what.process);
      return true;
    }
    const link = this.link(x, y);
    if (link === null) return false;
    this.toggle(`cut ${link.join("-")}`);
    return true;
  }

  /** A member is suspended or crashes, as is chosen; or what it suffers from ends. */
  member(peer) {
    const suffers = this.at(this.now).find(({ fault }) => fault === `suspend ${peer}` || fault === `crash ${peer}`);
    return this.toggle(suffers?.fault ?? `${byId("click-does").value} ${peer}`);
  }

  /** The link at a place of the network, by its ends. */
  link(x, y) {
    const { at, run } = this.player.network;
    let [found, least] = [null, 9];
    for (const [a, b] of run.network.links) {
      const [dx, dy] = [at[b][0] - at[a][0], at[b][1] - at[a][1]];
      const share = Math.min(1, Math.max(0, ((x - at[a][0]) * dx + (y - at[a][1]) * dy) / (dx * dx + dy * dy || 1)));
      const distance = Math.hypot(x - at[a][0] - share * dx, y - at[a][1] - share * dy);
      if (distance < least) [found, least] = [[a, b], distance];
    }
    return found;
  }

  /** Marks the links that are cut. */
  mark(context, network, now) {
    context.strokeStyle = colours.bad;
    context.lineWidth = 2.5;
    context.setLineDash([5, 5]);
    for (const { fault } of this.at(now)) {
      if (!fault.startsWith("cut ")) continue;
      const [a, b] = fault.slice(4).split("-");
      context.beginPath();
      context.moveTo(...network.at[a]);
      context.lineTo(...network.at[b]);
      context.stroke();
    }
    context.setLineDash([]);
  }

  listen() {
    byId("heal").addEventListener("click", () => this.heal());
    byId("longer").addEventListener("click", () => {
      this.length += AHEAD;
      this.ask(this.now);
    });
    byId("save-faults").addEventListener("click", () => download("faults.txt", this.script));
    byId("tenure-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin(Number(byId("members").value), Number(byId("tenure-seed").value));
    });
    byId("links").addEventListener("change", (event) => {
      if (event.target.value === "") return;
      this.toggle(`cut ${event.target.value}`);
      event.target.value = "";
    });
    byId("peers").addEventListener("change", (event) => {
      if (event.target.value === "") return;
      this.member(Number(event.target.value));
      event.target.value = "";
    });
  }

  /** The lists of members and links, for those who do not click on them. */
  draw() {
    const { run } = this.scheduler;
    if (this.listed === run.nodes) return;
    this.listed = run.nodes;
    const none = () => element("option", { value: "" }, "choose");
    const peers = run.heads.map((_, node) => element("option", { value: node }, `p${node}`));
    const links = run.network.links.map(([a, b]) => element("option", { value: `${a}-${b}` }, `p${a} and p${b}`));
    byId("peers").replaceChildren(none(), ...peers);
    byId("links").replaceChildren(none(), ...links);
  }
}

/** Saves a text as a file. */
function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
