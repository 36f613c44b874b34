// The player: it keeps the present instant, draws everything for it, and answers to clicks and keys.

/** The places of the slider in a run under faults, which goes by time and not by steps. */
const SCRUBS = 2000;

const SPEEDS = [0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32];

/** The most events of a step that are listed. */
const CAPTION = 9;

/** How long a whole run takes at speed 1, in seconds: at least so long for each step. */
const [WHOLE, EACH] = [40, 0.7];

const [PLAY, PAUSE] = ["M5 3l12 7-12 7z", "M5 3h3.5v14H5zM11.5 3H15v14h-3.5z"];

class Player {
  constructor(run) {
    this.run = run;
    this.now = run.start;
    this.playing = false;
    this.speed = 1;
    this.moment = new Moment(run);
    this.chosen = new Chosen(run);
    this.frames = [];
    this.views = [];
    colours.read();
    this.network = new NetworkView(run, this);
    this.diagram = new DiagramView(run, this);
    this.counts = new CountsView(run, this);
    this.views = [this.network, this.diagram, this.counts];
    if (run.tenure) this.views.push((this.leases = new LeasesView(run, this)));
    this.panel = new Panel(run, this);
    this.write();
    this.listen();
    this.fromAddress();
    this.redraw();
  }

  /** The units of time that pass in a second. */
  get rate() {
    const span = Math.max(this.run.end - this.run.start, 1e-9);
    const steps = Math.max(this.run.times.length, 1);
    return (this.speed * span) / Math.min(WHOLE, steps * EACH);
  }

  /** The reader is the scheduler, by way of this program. */
  schedule(module) {
    this.scheduler = new Scheduler(this, module);
    if (!location.hash.includes("step=")) this.goTo(this.run.end);
  }

  /** Shows another run, at this instant. */
  show(run, at = run.end) {
    this.run = run;
    this.moment = new Moment(run);
    const { process } = this.chosen;
    this.chosen = new Chosen(run);
    if (process >= 0 && process < run.nodes) this.chosen.chooseProcess(process);
    this.told = undefined;
    byId("leases").hidden = !run.tenure;
    this.diagram.show(run);
    this.counts.show(run);
    this.panel.show(run);
    this.leases?.show(run);
    this.views = [this.network, this.diagram, this.counts];
    this.network.show(run); // May paint everything.
    if (run.tenure) this.views.push(this.leases ??= new LeasesView(run, this));
    this.write();
    this.goTo(at);
  }

  /** What is written of a run: the title, what is known of it, the legends. */
  write() {
    const { run } = this;
    const { about } = run;
    say("title", run.title);
    say("idea", about.idea);
    byId("idea").hidden = !about.idea;
    document.body.classList.toggle("tenure", run.ofMembers);
    const facts = [...about.facts];
    if (about.bound) facts.push(["bound", `${about.bound.formula}, here ${about.bound.sign} ${grouped(about.bound.messages)}`]);
    if (run.chain.length > 0) facts.push(["longest chain", plural(run.chain.length, "message")]);
    if (about.loop_start !== null) facts.push(["livelock", `what follows step ${grouped(about.loop_start)} can be repeated forever`]);
    byId("facts").replaceChildren(...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
    byId("command").hidden = !about.command;
    byId("about").hidden = !about.command && facts.length === 0;
    document.querySelector("#command code").textContent = about.command ?? "";
    byId("kinds").replaceChildren(...run.kinds.map((name, kind) => element("li", {}, kindSign(kind), name)));
    const lives = run.ofMembers ? ["has not started", "up", "leads", "crashed"] : ["asleep", "open", "follows", "leads"];
    if (run.tenure) lives.splice(3, 0, "suspended");
    if (!run.ofMembers && run.events.some((event) => event.becomes.some(([, life]) => life === "crashed"))) lives.push("crashed");
    byId("lives").replaceChildren(...lives.map((life) => element("li", {}, lifeSign(life), lifeWords(life))));
    byId("speed").replaceChildren(...SPEEDS.map((speed) => element("option", { value: speed, selected: speed === this.speed }, `× ${speed}`)));
    byId("scrub").max = String(run.tenure ? SCRUBS : run.times.length);
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((time) => this.frame(time));
  }

  frame(time) {
    this.waiting = false;
    if (this.playing) {
      const passed = Math.min((time - (this.last ?? time)) / 1000, 0.25);
      this.frames.push(time);
      if (this.frames.length > 240) this.frames.shift();
      this.pass(passed, time);
    }
    this.last = time;
    this.paint();
    if (this.playing) this.redraw();
  }

  /** Draws everything for the present instant, at once: a canvas of another size is empty. */
  paint() {
    if (!this.panel) return;
    this.moment.goTo(cursorAt(this.run, this.now));
    for (const view of this.views) view.draw(this.moment, this.now, this.chosen);
    this.panel.draw(this.moment, this.chosen);
    this.panel.invariants(this.now);
    this.scheduler?.draw();
    this.tell();
  }

  /** Time passes; where motion is not wanted, from step to step. */
  pass(seconds, time) {
    const { run } = this;
    if (still.matches) {
      this.wait ??= time;
      if (time - this.wait < 1000 * Math.max(0.25, EACH / this.speed)) return;
      this.wait = time;
      this.now = timeOf(run, stepAt(run, this.now) + 1);
      if (stepAt(run, this.now) >= run.times.length) this.pause();
      return;
    }
    this.now += seconds * this.rate;
    if (this.now >= run.end) {
      this.now = run.end;
      this.pause();
    }
  }

  play() {
    if (stepAt(this.run, this.now) >= this.run.times.length) this.now = this.run.start;
    Object.assign(this, { playing: true, last: undefined, wait: undefined, frames: [] });
    this.button();
    this.redraw();
  }

  pause() {
    this.playing = false;
    this.button();
    this.redraw();
  }

  button() {
    byId("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
    byId("play-shape").setAttribute("d", this.playing ? PAUSE : PLAY);
    // What changes many times a second is not read aloud.
    byId("caption").setAttribute("aria-live", this.playing ? "off" : "polite");
    byId("chosen").setAttribute("aria-live", this.playing ? "off" : "polite");
  }

  /** Goes to an instant, and stops there. */
  goTo(at) {
    this.now = at;
    this.pause();
  }

  goToStep(step) {
    this.goTo(timeOf(this.run, Math.max(0, Math.min(step, this.run.times.length))));
  }

  /** The step before the present one: the present one itself, if it is past. */
  stepBy(steps) {
    const here = stepAt(this.run, this.now);
    const past = this.now > timeOf(this.run, here) + 1e-9;
    this.goToStep(here + steps + (steps < 0 && past ? 1 : 0));
  }

  faster(by) {
    const place = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.max(0, Math.min(place, SPEEDS.length - 1))]);
  }

  setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = String(speed);
  }

  choose(what) {
    if (what === null || what.process === -1) this.chosen.clear();
    else if (what.message !== undefined) this.chosen.chooseMessage(what.message);
    else this.chosen.chooseProcess(what.process);
    if (what?.at !== undefined) this.goTo(what.at);
    this.redraw();
  }

  /** Chooses the next of the processes, or of the messages that are under way or arrive now. */
  next(by, messages) {
    const { run, chosen, moment } = this;
    if (!messages) return this.choose({ process: (chosen.process + by + run.nodes + (chosen.process < 0 && by < 0 ? 1 : 0)) % run.nodes });
    const here = run.events.slice(0, moment.cursor).filter((event) => event.at === run.times[stepAt(run, this.now) - 1]);
    const all = [...new Set([...here.map((event) => event.message).filter((number) => number >= 0), ...moment.underWay])];
    if (all.length === 0) return undefined;
    const place = all.indexOf(chosen.message);
    return this.choose({ message: all[(place + by + all.length + (place < 0 && by < 0 ? 1 : 0)) % all.length] });
  }

  /** What is told in words of the present step. */
  tell() {
    const { run } = this;
    const step = stepAt(run, this.now);
    byId("scrub").value = String(run.tenure ? Math.round((SCRUBS * this.now) / run.end) : step);
    const clock = clockWords(run, this.now);
    say("clock", clock);
    byId("scrub").setAttribute("aria-valuetext", clock);
    this.ending(step >= run.times.length);
    if (!this.playing) {
      for (const view of this.views) view.surface.canvas.setAttribute("aria-label", view.description);
    }
    if (this.told === step) return;
    this.told = step;
    const at = run.times[step - 1];
    const here = step === 0 ? [] : run.events.slice(cursorAt(run, at - 1e-6), cursorAt(run, at));
    const words = here.slice(0, CAPTION).map((event) => event.words);
    if (here.length > CAPTION) words.push(`and ${grouped(here.length - CAPTION)} more`);
    if (words.length === 0) words.push(step === 0 ? "Nothing has happened yet." : "The end of the run.");
    byId("caption").replaceChildren(...words.map((word) => element("li", {}, word)));
  }

  /** The header: how the run ends is told when it has ended. */
  ending(ended) {
    const { about } = this.run;
    say("outcome", ended ? about.outcome : `${plural(this.counts.total, "message")} so far`);
    const broken = ended ? about.broken.map(([property, detail]) => `${property}, ${detail}`) : [];
    byId("broken").hidden = broken.length === 0;
    byId("broken").title = broken.join("; ");
    say("broken", broken.length > 0 ? `Broken: ${broken.join("; ")}` : "");
  }

  /** The address of what is shown now. */
  get address() {
    const { process, message } = this.chosen;
    const chosen = process >= 0 ? `&process=${process}` : message >= 0 ? `&message=${message}` : "";
    return `${location.href.split("#")[0]}#step=${stepAt(this.run, this.now)}${chosen}`;
  }

  /** Hands the address on: as the system of a phone does it, or as a copy. */
  async share() {
    const url = this.address;
    if (navigator.share && matchMedia("(pointer: coarse)").matches) {
      await navigator.share({ title: this.run.title, url }).catch(() => {});
    } else await copy("share", url);
  }

  /** A drag over a canvas moves through time: `from` makes of its begin what is the instant of a place. */
  drag({ surface: { canvas } }, from, grips) {
    let [begin, instantOf, gripped] = [null, null, false];
    const on = (name, what) => canvas.addEventListener(name, what, { passive: false });
    on("pointerdown", (event) => {
      this.dragged = false;
      gripped = grips?.(event.offsetY);
      if (event.button !== 0 || (event.pointerType === "touch" && gripped === false)) return;
      begin = [event.offsetX, event.offsetY];
      instantOf = from(...begin);
      canvas.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => {
      const place = [event.offsetX, event.offsetY];
      if (!begin || (!this.dragged && Math.hypot(place[0] - begin[0], place[1] - begin[1]) < 5)) return;
      this.dragged = true;
      this.goTo(Math.max(this.run.start, Math.min(instantOf(...place), this.run.end)));
    });
    for (const name of ["pointerup", "pointercancel"]) on(name, () => (begin = null));
    // A finger scrolls the page, unless it is on the line of the present.
    on("touchmove", (event) => gripped && event.preventDefault());
  }

  /** `#step=5&process=2` in the address is where the page begins. */
  fromAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const number = (name) => (/^\d+$/.test(wanted.get(name) ?? "") ? Number(wanted.get(name)) : null);
    if (wanted.get("theme")) this.theme(wanted.get("theme"));
    if (number("process") !== null && number("process") < this.run.nodes) this.choose({ process: number("process") });
    if (number("message") !== null && number("message") < this.run.messages.length) this.choose({ message: number("message") });
    if (number("step") !== null) this.goToStep(number("step"));
    else if (!still.matches) this.play();
  }

  theme(name) {
    document.documentElement.dataset.theme = name;
    say("theme", name === "dark" ? "Light" : "Dark");
    colours.read();
    this.network.paintLinks();
    this.redraw();
  }

  listen() {
    const on = (id, name, what) => byId(id).addEventListener(name, what);
    on("play", "click", () => (this.playing ? this.pause() : this.play()));
    on("step", "click", () => this.stepBy(1));
    on("back", "click", () => this.stepBy(-1));
    on("first", "click", () => this.goToStep(0));
    on("last", "click", () => this.goToStep(this.run.times.length));
    on("scrub", "input", () => {
      const value = Number(byId("scrub").value);
      if (this.run.tenure) this.goTo((this.run.end * value) / SCRUBS); else this.goToStep(value);
    });
    on("speed", "change", () => this.setSpeed(Number(byId("speed").value)));
    on("closer", "click", () => this.zoomBy(1.5));
    on("further", "click", () => this.zoomBy(1 / 1.5));
    on("help", "click", () => byId("keys").showModal());
    on("theme", "click", () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    for (const view of [this.network, this.diagram]) {
      view.surface.canvas.addEventListener("click", (event) => {
        const { left, top } = view.surface.canvas.getBoundingClientRect();
        const place = [event.clientX - left, event.clientY - top];
        if (view === this.diagram && this.dragged) return;
        const what = view.hit(...place);
        if (view !== this.network || !this.scheduler?.click(what, ...place)) this.choose(what);
      });
    }
    this.drag(this.diagram, (_, y) => this.diagram.dragFrom(y), (y) => this.diagram.isPresent(y));
    this.drag(this.counts, () => this.counts.instant);
    on("share", "click", () => this.share());
    on("copy", "click", () => copy("copy", this.run.about.command));
    window.addEventListener("hashchange", () => this.fromAddress());
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const follow = () => this.theme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", follow);
    follow();
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
    document.addEventListener("keydown", (event) => keyPressed(this, event));
  }

  /** On paper everything is dark on light. */
  print(begins) {
    if (begins) this.before = document.documentElement.dataset.theme;
    this.theme(begins ? "light" : this.before);
    for (const one of document.querySelectorAll("#held details")) one.open = begins;
    this.pause();
    this.paint();
  }

  zoomBy(factor) {
    this.diagram.zoom = Math.max(0.2, Math.min(12, this.diagram.zoom * factor));
    this.redraw();
  }
}

/** Copies a text, and says so on a button for a moment. */
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where the page may not write to the clipboard itself, a selected text is copied.
    const area = element("textarea", {}, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(button, "Copied");
  setTimeout(() => say(button, byId(button).dataset.name), 1500);
}

const program = byId("program").textContent.trim();
window.suffrage = new Player(readRun(JSON.parse(byId("run").textContent)));
if (program !== "") window.suffrage.schedule(Program.compile(program));
