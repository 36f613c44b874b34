// The scheduler: its reader chooses what happens next. The program replays the run after each choice.

/** The most choices that are listed. */
const LISTED = 200;

/** What a click on a message or a process does: what comes next, or a fault that the run allows. */
const CLICKS = { next: ["deliver", "wake", "alarm"], lose: ["lose"], duplicate: ["duplicate"], crash: ["crash"] };

class Scheduler {
  constructor(player, module) {
    this.player = player;
    this.program = new Program(module);
    // What takes long holds up no choice.
    this.explorer = new Program(module);
    this.faults = new Faults(this);
    this.best = 0;
    byId("scheduler").hidden = false;
    this.listen();
    this.fill();
    this.take(player.run);
    this.explore();
  }

  /** Whether it is at the end of the run, where the next choice is. */
  get present() {
    const { run, now } = this.player;
    return stepAt(run, now) >= run.times.length;
  }

  /** The number of the choice that a click on a message or a process makes; -1 if there is none now. */
  choiceOf({ message, process }) {
    const hit = (one) => (message === undefined ? one.message === null && one.node === process : one.message === message);
    return this.run.choices.findIndex((one) => hit(one) && this.clicked.includes(one.what));
  }

  /** What a click does now. */
  get clicked() {
    return CLICKS[byId("strikes").hidden ? "next" : byId("click-strikes").value];
  }

  /** A click on a place of the network: a choice, or a fault, if it is one. */
  click(what, x, y) {
    if (this.run.tenure) return this.faults.click(what, x, y);
    if (!this.present || what === null) return false;
    // Messages on one link may lie upon each other.
    const hits = what.message === undefined ? [what] : this.player.network.messagesAt(x, y).map((message) => ({ message }));
    const number = hits.map((hit) => this.choiceOf(hit)).find((choice) => choice >= 0);
    if (number === undefined) return false;
    this.choose(number);
    return true;
  }

  choose(number) {
    return this.go({ take: number });
  }

  /** Asks for the run as it goes on, and shows it. */
  async go(how, file = this.run.file) {
    try {
      this.show(await this.program.ask({ play: { run: file, ...how } }));
      return true;
    } catch (error) {
      this.refuse(error);
      return false;
    }
  }

  /** Shows what the program has answered. */
  show(content) {
    byId("refused").hidden = true;
    const run = readRun({ ...content, network: content.network ?? this.run.network });
    this.take(run);
    this.player.show(run);
  }

  refuse(error) {
    byId("refused").hidden = false;
    say("refused", error.message);
  }

  /** Takes a run as the present one. */
  take(run) {
    this.run = run;
    byId("choosing").hidden = run.tenure !== null;
    byId("meddling").hidden = run.tenure === null;
    this.sent = run.events.reduce((sum, event) => sum + event.sends.length, 0);
    if (run.choices.length === 0 || this.sent > this.best) this.best = Math.max(this.best, this.sent);
    this.drawn = undefined;
    const may = (click) => run.choices.some(({ what }) => CLICKS[click].includes(what));
    const options = [...byId("click-strikes").options];
    for (const option of options) option.disabled = option.value !== "next" && !may(option.value);
    byId("strikes").hidden = options.every(({ value, disabled }) => value === "next" || disabled);
  }

  /** Another election: nothing is known of it yet. */
  async begin(question, named) {
    try {
      const content = await this.program.ask(question);
      this.best = 0;
      this.show(content);
      if (named) byId("new").open = false;
      this.explore();
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Asks what the election costs over every schedule. */
  async explore() {
    this.explorer.start();
    this.worst = undefined;
    this.drawn = undefined;
    try {
      this.worst = await this.explorer.ask({ worst: { run: this.run.file } });
    } catch (error) {
      this.worst = { messages: null, why: error.message, found: null, run: null };
    }
    this.drawn = undefined;
    this.player.redraw();
  }

  undo() {
    const { times } = this.run;
    return this.go({ until: times[times.length - 2] ?? -1 });
  }

  random() {
    return this.go({ random: true, seed: Math.floor(Math.random() * 2 ** 32) });
  }

  finish() {
    return this.go({ finish: byId("adversary").value, seed: Math.floor(Math.random() * 2 ** 32) });
  }

  /** Goes on from the instant that is shown: what comes after it is dropped. */
  fromHere() {
    const { run, now } = this.player;
    const step = stepAt(run, now);
    return this.go({ until: step === 0 ? -1 : run.times[step - 1] });
  }

  save() {
    download("run.jsonl", this.run.file);
  }

  async open(file) {
    if (file) await this.begin({ play: { run: await file.text(), open: true } }, false);
  }

  /** The choices, the score, and which buttons can be used: as the present instant is. */
  draw() {
    if (this.run.tenure) return this.faults.draw();
    const { run, present, worst } = this;
    const key = [present, worst === undefined, this.best].join();
    if (this.drawn === key) return undefined;
    this.drawn = key;
    const { bound } = run.about;
    const parts = [plural(this.sent, "message")];
    if (this.best > this.sent) parts.push(`your most ${grouped(this.best)}`);
    if (bound) parts.push(`bound ${bound.sign} ${grouped(bound.messages)}`);
    const exact = worst?.messages;
    if (exact) parts.push(`worst of all schedules ${grouped(exact[1])}, best ${grouped(exact[0])}`);
    else parts.push(worst === undefined ? "exploring every schedule …" : worst.why);
    if (worst?.found) parts.push(`a search found ${grouped(worst.found)}`);
    say("score", `${parts.join(" · ")}${exact && this.best === exact[1] ? " · you have found a worst one" : ""}`);
    byId("show-worst").hidden = !worst?.run;
    say("show-worst", exact ? "Show a worst one" : worst?.found ? "Show what was found" : "Show it");
    byId("from-here").hidden = present;
    byId("undo").disabled = run.times.length === 0;
    byId("restart").disabled = run.times.length === 0;
    for (const id of ["random", "finish"]) byId(id).disabled = !present || run.choices.length === 0;
    const rows = present ? run.choices.slice(0, LISTED).map((choice, number) => this.row(choice, number)) : [];
    if (rows.length < run.choices.length && present) rows.push(element("li", { class: "hint" }, `and ${grouped(run.choices.length - rows.length)} more`));
    byId("choices").replaceChildren(...rows);
    return say("choices-hint", !present ? "This is past. Continue from here, or go to the end." : run.choices.length === 0 ? "Nothing is possible any more." : "Choose what happens next, here or in the network.");
  }

  row({ words, message }, number) {
    const sign = message === null ? element("span") : kindSign(this.run.messages[message].kind);
    return element("li", {}, element("button", { type: "button", onclick: () => this.choose(number) }, element("span"), sign, words));
  }

  /** Rings around what can be chosen in the network. */
  ring(context, network, now) {
    if (this.run.tenure) this.faults.mark(context, network, now);
    if (this.run.tenure || !this.present) return;
    const { clicked } = this;
    const [messages, processes] = [new Set(), new Set()];
    for (const { what, message, node } of this.run.choices) {
      if (!clicked.includes(what)) continue;
      if (message === null) processes.add(node);
      else messages.add(message);
    }
    context.lineWidth = 1.6;
    context.strokeStyle = clicked === CLICKS.next ? colours.accent : colours.bad;
    context.beginPath();
    for (const [x, y, message] of network.spots) {
      if (!messages.has(message.number)) continue;
      context.moveTo(x + 8.5, y);
      context.arc(x, y, 8.5, 0, 7);
    }
    for (const node of processes) {
      const [x, y] = network.at[node];
      context.moveTo(x + network.radius + 3.5, y);
      context.arc(x, y, network.radius + 3.5, 0, 7);
    }
    context.stroke();
  }

  /** The form in which an election is chosen. */
  async fill() {
    const rows = await this.program.ask("catalogue");
    const groups = new Map();
    for (const { name, group, form } of rows) {
      if (!groups.has(group)) groups.set(group, element("optgroup", { label: group }));
      groups.get(group).append(element("option", { value: name, title: form ?? false }, name));
    }
    byId("algorithm").replaceChildren(...groups.values());
    const chosen = () => rows.find(({ name }) => name === byId("algorithm").value);
    const network = (row) => {
      byId("topology").value = row.network;
      say("paper", [row.paper, row.form].filter((text) => text).join(". It "));
    };
    byId("algorithm").addEventListener("change", () => network(chosen()));
    // `#algorithm=humblet` in the address is the election to begin with.
    const wanted = new URLSearchParams(location.hash.slice(1)).get("algorithm");
    const named = rows.some(({ name }) => name === wanted);
    if (named) byId("algorithm").value = wanted;
    network(chosen());
    if (named) byId("new-form").requestSubmit();
  }

  listen() {
    const on = (id, what) => byId(id).addEventListener("click", what);
    on("undo", () => this.undo());
    on("random", () => this.random());
    on("finish", () => this.finish());
    on("restart", () => this.go({ until: -1 }));
    on("from-here", () => this.fromHere());
    on("save", () => this.save());
    on("show-worst", () => this.go({}, this.worst.run));
    byId("click-strikes").addEventListener("change", () => this.player.redraw());
    byId("open").addEventListener("change", (event) => this.open(event.target.files[0]));
    byId("new-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const value = (id) => byId(id).value;
      const begin = { algorithm: value("algorithm"), network: value("topology"), ids: value("ids"), initiators: value("initiators"), ports: value("ports"), faults: value("new-faults"), seed: Number(value("seed")) };
      this.begin({ begin }, true);
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.open(event.dataTransfer.files[0]);
    });
  }
}
