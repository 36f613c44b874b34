// The messages that have been sent, as they grow, against the bound.

class CountsView {
  constructor(run, player) {
    this.show(run);
    this.surface = new Surface("counts", () => player.paint());
  }

  show(run) {
    this.run = run;
    this.curves = countsOver(run);
    this.cells = this.table();
    const { bound } = run.about;
    const most = this.curves.totals[this.curves.totals.length - 1] ?? 0;
    this.most = Math.max(most, bound && bound.messages < 1e12 ? bound.messages : 0, 1);
    if (bound && bound.messages > 40 * most) this.most = Math.max(most, 1) * 1.3;
  }

  /** A row for each kind, and one for all. */
  table() {
    const { run } = this;
    const body = document.querySelector("#table tbody");
    body.replaceChildren();
    const row = (name, kind, total) => {
      const sent = element("td");
      const under = element("td");
      const label = element("td", {}, ...(kind === null ? [name] : [kindSign(kind), ` ${name}`]));
      body.append(element("tr", total ? { class: "total" } : {}, label, sent, under));
      return [sent, under];
    };
    const rows = run.kinds.map((name, kind) =>
      row(run.announces[kind] ? `${name} (announcement)` : name, kind, false));
    return [...rows, row("all", null, true)];
  }

  draw(moment, now) {
    const { run, surface, curves } = this;
    const context = surface.clear();
    const [left, right, top, bottom] = [44, surface.width - 8, 10, surface.height - 18];
    const [from, to] = [run.start, Math.max(run.times[run.times.length - 1] ?? 1, run.start + 1e-9)];
    const x = (time) => left + ((right - left) * (time - from)) / (to - from);
    this.instant = (place) => from + ((to - from) * (place - left)) / (right - left);
    const y = (count) => bottom - ((bottom - top) * count) / this.most;
    context.font = "10.5px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.strokeStyle = colours.faint;
    context.fillStyle = colours.soft;
    context.lineWidth = 1;
    context.textAlign = "right";
    for (const mark of [0, 0.5, 1].map((share) => Math.round(share * this.most))) {
      context.beginPath();
      context.moveTo(left, y(mark));
      context.lineTo(right, y(mark));
      context.stroke();
      context.fillText(short(mark), left - 5, y(mark));
    }
    context.textAlign = "left";
    context.fillText(instant(run, Math.max(0, from)), left, bottom + 10);
    context.textAlign = "right";
    context.fillText(clockAt(run, to), right, bottom + 10);
    this.curve(context, x, y, curves.totals, Infinity, colours.faint);
    this.curve(context, x, y, curves.totals, now, colours.ink);
    if (curves.announced.some((count) => count > 0)) this.curve(context, x, y, curves.announced, now, colours.kind(1));
    const { bound } = run.about;
    if (bound && bound.messages <= this.most) {
      context.setLineDash([6, 4]);
      context.strokeStyle = colours.bad;
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(left, y(bound.messages));
      context.lineTo(right, y(bound.messages));
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = colours.bad;
      context.textAlign = "left";
      context.fillText(`${bound.sign} ${grouped(bound.messages)}`, left + 4, y(bound.messages) + 9);
    }
    context.beginPath();
    const present = Math.min(Math.max(x(now), left), right);
    context.moveTo(present, top - 4);
    context.lineTo(present, bottom);
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.2;
    context.stroke();
    this.write(moment, now);
  }

  /** A curve as steps, up to an instant. */
  curve(context, x, y, counts, now, colour) {
    const { times } = this.curves;
    context.beginPath();
    context.moveTo(x(this.run.start), y(0));
    let last = 0;
    for (let step = 0; step < times.length && times[step] <= now + 1e-9; step += 1) {
      context.lineTo(x(times[step]), y(last));
      last = counts[step];
      context.lineTo(x(times[step]), y(last));
    }
    const end = Math.min(now, times[times.length - 1] ?? now);
    if (Number.isFinite(end)) context.lineTo(x(end), y(last));
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.stroke();
  }

  write(moment, now) {
    const { run } = this;
    const under = new Uint32Array(this.cells.length - 1);
    let sent = moment.kinds;
    let total = moment.total;
    if (run.tenure) {
      sent = sentBy(run.tenure, now);
      total = sent.reduce((sum, count) => sum + count, 0);
      for (const flight of flightsAt(run.tenure, now)) under[flight.kind] += 1;
    } else {
      for (const number of moment.underWay) under[run.messages[number].kind] += 1;
    }
    this.total = total;
    this.cells.forEach(([cell, way], row) => {
      const all = row === this.cells.length - 1;
      cell.textContent = grouped(all ? total : sent[row]);
      way.textContent = grouped(all ? under.reduce((sum, count) => sum + count, 0) : under[row]);
    });
    const { bound } = run.about;
    const against = bound
      ? `${grouped(total)} of ${bound.sign} ${grouped(bound.messages)} = ${bound.formula} (${(total / Math.max(bound.messages, 1)).toFixed(3)})`
      : plural(total, "message");
    say("against", against);
    this.description = `Messages sent: ${against}`;
  }
}

/** The messages sent up to some instants, which are all distinct ones of an election: all, and those of the
 * announcement. */
function countsOver(run) {
  const totals = [];
  const announced = [];
  let [all, some, next] = [0, 0, 0];
  if (run.tenure) {
    const starts = run.tenure.flights.map((flight) => flight[3]).sort((a, b) => a - b);
    const times = Array.from({ length: 401 }, (_, part) => (run.end * part) / 400);
    for (const time of times) {
      while (all < starts.length && starts[all] <= time) all += 1;
      totals.push(all);
      announced.push(0);
    }
    return { times, totals, announced };
  }
  for (const time of run.times) {
    for (; next < run.events.length && run.events[next].at <= time; next += 1) {
      for (const number of run.events[next].sends) {
        if (run.messages[number].again) continue;
        all += 1;
        if (run.announces[run.messages[number].kind]) some += 1;
      }
    }
    totals.push(all);
    announced.push(some);
  }
  return { times: run.times, totals, announced };
}

/** A count in few characters. */
const short = (count) => (count >= 1e6 ? `${(count / 1e6).toFixed(1)}M` : count >= 1e4 ? `${Math.round(count / 1e3)}k` : grouped(count));
