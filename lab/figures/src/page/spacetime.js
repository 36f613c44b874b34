// The space-time diagram: a line for each process, time downwards, an arrow for each message.

/** The height of the names above the lines, and the width of the instants beside them. */
const [HEAD, LEFT] = [34, 38];

/** From how many processes on there are no names and no signs. */
const LANES = 64;

/** The most lines that are drawn at once. */
const CHUNK = 64;

class DiagramView {
  constructor(run, player) {
    this.run = run;
    this.player = player;
    this.zoom = 1;
    this.surface = new Surface("diagram", () => player.paint());
  }

  show(run) {
    this.run = run;
  }

  /** The pixels of a row: all of a short run fits, and in others steps have room. */
  get unit() {
    const { run } = this;
    const span = Math.max(this.last - rowAt(run, run.start), 1);
    const fitting = (this.surface.height - HEAD - 24) / (span + 1);
    const roomy = (26 * Math.max(run.times.length, 1)) / span;
    return this.zoom * Math.max(Math.min(fitting, 64), Math.min(roomy, 40));
  }

  get last() {
    return this.run.rows[this.run.rows.length - 1] ?? 0;
  }

  laneX(node) {
    const margin = this.run.nodes > LANES ? 10 : Math.min(40, this.surface.width / (this.run.nodes + 1));
    const room = this.surface.width - 2 * margin - LEFT - 4;
    return LEFT + 4 + margin + (this.run.nodes > 1 ? (room * node) / (this.run.nodes - 1) : room / 2);
  }

  /** The row at the upper edge: all that has happened is there if it fits, and the present else. */
  top(row) {
    const { run, unit } = this;
    const room = (this.surface.height - HEAD - 10) / unit;
    const first = rowAt(run, run.start);
    if (this.last - first + 0.5 <= room) return first;
    return Math.max(first, Math.min(row - 0.6 * room, this.last + 0.8 - room));
  }

  draw(moment, now, chosen) {
    const { run, surface } = this;
    const context = surface.clear();
    const { unit } = this;
    const row = rowAt(run, now);
    const top = this.top(row);
    const y = (place) => HEAD + (place - top) * unit;
    const bottom = top + (surface.height - HEAD) / unit;
    Object.assign(this, { y, lowest: bottom, highest: top });
    context.save();
    context.beginPath();
    context.rect(0, HEAD - 6, surface.width, surface.height);
    context.clip();
    this.drawTimes(context, y, bottom);
    this.drawLanes(context, y, row, moment);
    this.drawMessages(context, y, row, top, bottom, chosen);
    if (run.nodes <= LANES) this.drawSigns(context, y, moment, top, bottom, chosen);
    context.beginPath();
    context.moveTo(LEFT + 6, y(row));
    context.lineTo(surface.width, y(row));
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.2;
    context.stroke();
    context.restore();
    if (run.nodes <= LANES) this.drawHeads(context, chosen);
    this.description = `Space-time diagram of ${run.nodes} processes, at ${run.clock} ${instant(run, now)}`;
  }

  drawTimes(context, y, bottom) {
    const { run } = this;
    context.font = "10.5px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = colours.soft;
    let last = -Infinity;
    for (let step = 0; step < run.times.length && run.rows[step] <= bottom; step += 1) {
      const at = y(run.rows[step]);
      if (at < 0 || at - last < 16) continue;
      last = at;
      context.fillText(instant(run, run.times[step]), LEFT, at);
    }
  }

  /** Lines in the style of what processes are, as far as the present. */
  drawLanes(context, y, row, moment) {
    const { run, surface } = this;
    const end = Math.min(y(row), surface.height);
    // So many lines would be a surface.
    if (run.nodes > 4 * LANES) return;
    context.beginPath();
    for (let node = 0; node < run.nodes; node += 1) {
      context.moveTo(this.laneX(node), HEAD - 6);
      context.lineTo(this.laneX(node), surface.height);
    }
    context.strokeStyle = colours.faint;
    context.lineWidth = run.nodes > LANES ? 0.4 : 1;
    context.stroke();
    if (run.nodes > LANES) return;
    for (let node = 0; node < run.nodes; node += 1) {
      let life = run.life;
      let from = HEAD - 6;
      for (const number of run.of[node]) {
        const event = run.events[number];
        if (number >= moment.cursor) break;
        const next = event.becomes.filter(([who]) => who === node).pop();
        if (!next) continue;
        this.lane(context, node, life, from, y(event.row));
        [life, from] = [next[1], y(event.row)];
      }
      this.lane(context, node, life, from, end);
    }
  }

  lane(context, node, life, from, to) {
    if (to <= from || to < 0 || life.startsWith("halted") || life === "crashed") return;
    const x = this.laneX(node);
    context.beginPath();
    context.moveTo(x, Math.max(from, HEAD - 6));
    context.lineTo(x, to);
    context.lineWidth = { leads: 4, follows: 2.2 }[life] ?? 1.4;
    context.strokeStyle = { leads: colours.gold, asleep: colours.line, suspended: colours.line }[life] ?? colours.soft;
    context.setLineDash(life === "asleep" || life === "suspended" ? [2, 4] : []);
    context.stroke();
    context.setLineDash([]);
  }

  /** Where the arrow of a message begins and ends. */
  ends(message) {
    const { run } = this;
    const end = message.ends >= 0 ? run.events[message.ends].row : null;
    const begin = message.sent >= 0 ? run.events[message.sent].row : (end ?? 0) - 0.5;
    return [begin, end];
  }

  drawMessages(context, y, row, top, bottom, chosen) {
    const { run } = this;
    const paths = new Map();
    // Paths of many lines take more than linear time to draw.
    const path = (message, layer) => {
      const key = `${layer}${message.kind}`;
      const all = paths.get(key) ?? [];
      if (all.length === 0) paths.set(key, all);
      if (all.length === 0 || all[all.length - 1].lines >= CHUNK) {
        all.push({ layer, kind: message.kind, strokes: new Path2D(), heads: new Path2D(), lines: 0 });
      }
      const last = all[all.length - 1];
      last.lines += 1;
      return last;
    };
    for (const message of run.messages) {
      const [begin, end] = this.ends(message);
      if (begin > bottom || (end ?? begin) < top) continue;
      const [x1, x2] = [this.laneX(message.from), this.laneX(message.to)];
      const target = end ?? begin + (message.lost ? 0.4 : 1.6);
      const share = end === null && message.lost ? 0.35 : end === null ? 0.7 : 1;
      const done = Math.min(1, Math.max(0, (row - begin) / Math.max(target - begin, 1e-9)));
      const [y1, y2] = [y(begin), y(target)];
      const point = (part) => [x1 + (x2 - x1) * share * part, y1 + (y2 - y1) * part];
      const layer = chosen.layer(message.number);
      if (done < 1 && run.nodes <= 4 * LANES) this.arrow(path(message, "later"), x1, y1, ...point(1));
      if (begin <= row) this.arrow(path(message, layer), x1, y1, ...point(done), done === 1 && end !== null);
      if (message.lost && done === 1) this.cross(path(message, layer).strokes, ...point(1));
    }
    const widths = { later: 1, dim: 1, plain: 1.5, cause: 2.4, effect: 2.4, self: 3.4 };
    const alphas = { later: 0.18, dim: 0.16 };
    const thin = run.nodes > LANES ? 0.6 : 1;
    for (const { layer, kind, strokes, heads } of [...paths.values()].flat()) {
      context.globalAlpha = alphas[layer] ?? 1;
      const colour = { cause: colours.cause, effect: colours.effect, self: colours.ink }[layer] ?? colours.kind(kind);
      context.strokeStyle = colour;
      context.fillStyle = colour;
      context.lineWidth = widths[layer] * thin;
      context.stroke(strokes);
      context.fill(heads);
    }
    context.globalAlpha = 1;
  }

  arrow({ strokes, heads }, x1, y1, x2, y2, arrives = false) {
    strokes.moveTo(x1, y1);
    strokes.lineTo(x2, y2);
    if (!arrives || this.run.nodes > 2 * LANES) return;
    const angle = Math.atan2(y2 - y1, x2 - x1);
    for (const [turn, length] of [[0, 0], [0.42, 9], [-0.42, 9]]) {
      const place = [x2 - length * Math.cos(angle + turn), y2 - length * Math.sin(angle + turn)];
      heads[length === 0 ? "moveTo" : "lineTo"](...place);
    }
    heads.closePath();
  }

  cross(path, x, y) {
    path.moveTo(x - 4, y - 4);
    path.lineTo(x + 4, y + 4);
    path.moveTo(x + 4, y - 4);
    path.lineTo(x - 4, y + 4);
  }

  /** The signs of events that have happened: processes that wake, lead, crash. */
  drawSigns(context, y, moment, top, bottom, chosen) {
    const { run } = this;
    for (let number = 0; number < moment.cursor; number += 1) {
      const event = run.events[number];
      if (event.node < 0 || event.row < top - 1 || event.row > bottom) continue;
      const [x, at] = [this.laneX(event.node), y(event.row)];
      const is = (...signs) => signs.includes(event.sign);
      context.beginPath();
      if (is("lead")) star(context, x, at, 9);
      else if (is("wake", "start")) polygon(context, x, at, 5.5, 4, 0);
      else if (is("crash", "discard")) context.arc(x, at, 4, 0, 7);
      else context.arc(x, at, 3, 0, 7);
      context.fillStyle = is("lead") ? colours.gold : is("discard", "alarm", "suspend") ? colours.card : is("crash") ? colours.bad : colours.ink;
      context.globalAlpha = chosen.cone !== null && !chosen.touches(number) ? 0.25 : 1;
      context.fill();
      context.lineWidth = 1;
      context.strokeStyle = colours.ink;
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  drawHeads(context, chosen) {
    const { run } = this;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const apart = run.nodes > 1 ? this.laneX(1) - this.laneX(0) : 100;
    const every = Math.ceil(24 / apart);
    for (let node = 0; node < run.nodes; node += every) {
      const x = this.laneX(node);
      const name = nameOf(run, node);
      context.font = `${chosen.process === node ? 700 : 600} 11.5px system-ui, sans-serif`;
      context.fillStyle = chosen.process === node ? colours.accent : colours.ink;
      context.fillText(name.length * 7 > apart * every ? `p${node}` : name, x, 11);
      if (apart * every < 38) continue;
      context.font = "10px system-ui, sans-serif";
      context.fillStyle = colours.soft;
      context.fillText(run.heads[node].slice(0, Math.floor((apart * every) / 5.5)), x, 23);
    }
  }

  /** What is at a place of the canvas: a message, else a process with the instant of an event there. */
  hit(x, y) {
    const { run } = this;
    if (!this.y) return null;
    let found = null;
    let least = 7;
    for (const message of run.messages) {
      const [begin, end] = this.ends(message);
      if (end === null || begin > this.lowest || end < this.highest) continue;
      const [x1, y1, x2, y2] = [this.laneX(message.from), this.y(begin), this.laneX(message.to), this.y(end)];
      const length = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1;
      const share = Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
      const distance = Math.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1));
      // Near its ends the processes are meant.
      if (distance < least && share > 0.08 && share < 0.92) [found, least] = [{ message: message.number }, distance];
    }
    if (found) return found;
    let process = null;
    let apart = 14;
    for (let node = 0; node < run.nodes; node += 1) {
      if (Math.abs(this.laneX(node) - x) < apart) [process, apart] = [node, Math.abs(this.laneX(node) - x)];
    }
    if (process === null) return null;
    const rows = run.of[process].map((number) => run.events[number]);
    const event = rows.find((one) => Math.abs(this.y(one.row) - y) < 7);
    return event ? { process, at: event.at } : { process };
  }
}
