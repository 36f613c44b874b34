// Runs under faults: messages on their way, leases as bars that run down, and the faults of the moment.

/** The most messages of which the progress is looked for: those that began this long ago are over. */
const LONGEST = 20000;

/** How long a fault is shown at least, in milliseconds. */
const BRIEF = 400;

/** The messages on their way at an instant, each with its progress. */
function flightsAt(tenure, now) {
  const { flights } = tenure;
  let low = 0;
  let high = flights.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (flights[middle][3] <= now) low = middle + 1; else high = middle;
  }
  const all = [];
  for (let i = low - 1; i >= 0 && i > low - 1 - LONGEST; i -= 1) {
    const [kind, from, to, sent, ends, lost] = flights[i];
    if (now - sent > tenure.slowest) break;
    if (ends < 0 || ends <= now) continue;
    const share = (now - sent) / Math.max(ends - sent, 1e-9);
    all.push({ number: -1, kind, from, to, lost: lost === 1, words: tenure.kinds[kind], progress: lost ? share * 0.6 : share });
  }
  return all;
}

/** For each kind the number of messages sent up to an instant. */
function sentBy(tenure, now) {
  if (tenure.counted === undefined || tenure.counted > now) {
    Object.assign(tenure, { counted: 0, next: 0, counts: new Array(tenure.kinds.length).fill(0) });
  }
  while (tenure.next < tenure.flights.length && tenure.flights[tenure.next][3] <= now) {
    tenure.counts[tenure.flights[tenure.next][0]] += 1;
    tenure.next += 1;
  }
  tenure.counted = now;
  return tenure.counts;
}

/** A fault without its instant and length, which the page shows: `crash: peer leader`. */
function faultWords(name) {
  return name.replace(/^at \S+ (for \S+ )?/, "");
}

class LeasesView {
  constructor(run, player) {
    byId("leases").hidden = false;
    this.show(run);
    this.surface = new Surface("bars", () => player.paint());
  }

  show(run) {
    this.run = run;
    this.shown = undefined;
    const { tenure } = run;
    if (!tenure) return;
    tenure.slowest = tenure.flights.reduce((most, flight) => Math.max(most, flight[4] - flight[3]), 1);
    this.full = tenure.leases.reduce((most, [at, , , until]) => Math.max(most, until - at), 1);
    byId("bars").style.height = `${Math.min(30 * run.nodes + 30, 320)}px`;
  }

  /** The number of leases that were told up to an instant. */
  before(now) {
    const { leases } = this.run.tenure;
    let low = 0;
    let high = leases.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (leases[middle][0] <= now) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** The tenures that last at an instant, with the last that is known of their leases. */
  held(now) {
    const { tenure } = this.run;
    return tenure.tenures
      .filter(([, , , from, to]) => from <= now && (to < 0 || to > now))
      .map(([peer, office, term, from]) => {
        let until = null;
        // The last one that was told; those before the tenure are of another.
        for (let i = this.before(now) - 1; i >= 0 && tenure.leases[i][0] >= from && until === null; i -= 1) {
          const [, holder, which, end] = tenure.leases[i];
          if (holder === peer && which === office) until = end;
        }
        return { peer, office, term, until };
      });
  }

  draw(moment, now) {
    const { run, surface } = this;
    const context = surface.clear();
    const height = (surface.height - 20) / run.nodes;
    const [left, right] = [114, surface.width - 118];
    const held = this.held(now);
    context.textBaseline = "middle";
    for (let node = 0; node < run.nodes; node += 1) {
      const y = 4 + (node + 0.5) * height;
      const life = moment.lives[node];
      context.font = "600 12px system-ui, sans-serif";
      context.textAlign = "left";
      context.fillStyle = colours.ink;
      context.fillText(nameOf(run, node), 4, y);
      context.font = "11px system-ui, sans-serif";
      context.fillStyle = life === "crashed" ? colours.bad : colours.soft;
      context.fillText(life === "leads" ? "" : life, 28, y);
      const own = held.filter(({ peer }) => peer === node);
      context.fillStyle = colours.faint;
      context.fillRect(left, y + height * 0.18, right - left, 1);
      own.forEach((one, number) => this.bar(context, one, number, own.length, y, height, left, right, now));
    }
    context.font = "10.5px system-ui, sans-serif";
    context.textAlign = "left";
    context.fillStyle = colours.soft;
    context.fillText("now", left, surface.height - 8);
    context.textAlign = "right";
    context.fillText(`${Math.round(this.full)} ms of lease`, right, surface.height - 8);
    this.faults(now);
    this.description = held.length === 0 ? "No member holds an office" : held.map(({ peer, office, term }) =>
      `p${peer} holds office ${office} at term ${grouped(term)}`).join(", ");
  }

  bar(context, { office, term, until }, number, of, y, height, left, right, now) {
    const rest = until === null ? 1 : Math.max(0, Math.min(1, (until - now) / this.full));
    const thick = Math.min(height * 0.6, 18) / of;
    const top = y - Math.min(height * 0.6, 18) / 2 + number * thick;
    context.fillStyle = rest < 0.25 ? colours.bad : colours.gold;
    context.fillRect(left, top, (right - left) * rest, thick - 1);
    if (number > 0 && of > 3) return;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    context.fillStyle = colours.ink;
    context.fillText(of > 3 ? `${of} offices` : `term ${grouped(term)}${of > 1 ? ` of ${office}` : ""}`, right + 8, of > 3 ? y : top + thick / 2);
  }

  faults(now) {
    const over = (from, to) => (to < 0 ? Infinity : Math.max(to, from + BRIEF));
    const present = this.run.tenure.faults.filter(([, from, to]) => from <= now && over(from, to) > now);
    const words = present.map(([name]) => faultWords(name));
    const text = words.join("\n");
    if (this.shown === text) return;
    this.shown = text;
    byId("faults").replaceChildren(...words.map((word) => element("li", {}, word)));
  }
}
