// The space-time diagram: a line for each process, time downwards, an arrow for each message.

/** The height of the names above the lines, and the width of the instants beside them. */
const [HEAD, LEFT] = [34, 38];

/** From how many processes on there are no signs but those of leaders and crashes. */
const LANES = 64;

/** The least distance of two columns: where there is no room, neighbours share a column. */
const NARROW = 4;

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

  /** Lays out the columns: how many processes share one, where the first is, and how far apart they are. */
  layout() {
    const { run, surface } = this;
    const all = Math.max(surface.width - LEFT - 4, NARROW);
    this.shared = Math.ceil((run.nodes * NARROW) / all);
    const columns = Math.ceil(run.nodes / this.shared);
    const margin = Math.min(40, Math.max(10, all / (columns + 1)));
    this.pitch = columns > 1 ? (all - 2 * margin) / (columns - 1) : all / 2;
    this.firstX = LEFT + 4 + (columns > 1 ? margin : all / 2);
  }

  laneX(node) {
    return this.firstX + this.pitch * Math.floor(node / this.shared);
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
    this.layout();
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
    this.drawSigns(context, y, moment, top, bottom, chosen);
    context.beginPath();
    context.moveTo(LEFT + 6, y(row));
    context.lineTo(surface.width, y(row));
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.2;
    context.stroke();
    context.restore();
    this.drawHeads(context, chosen);
    this.description = `Space-time diagram of ${plural(run.nodes, "process", "processes")}, ${clockWords(run, now)}`;
  }

  /** How a drag that begins at a height moves through time: with the pointer, or as far as the pointer. */
  dragFrom(y) {
    const { run, unit, highest } = this;
    const row = rowAt(run, this.player.now);
    const fits = this.last - rowAt(run, run.start) + 0.5 <= (this.surface.height - HEAD - 10) / unit;
    return fits
      ? (_, to) => instantAt(run, highest + (to - HEAD) / unit)
      : (_, to) => instantAt(run, row + (to - y) / unit);
  }

  /** Whether a place is on the line of the present. */
  isPresent(y) {
    return Math.abs(this.y(rowAt(this.run, this.player.now)) - y) < 18;
  }

  drawTimes(context, y, bottom) {
    const { run } = this;
    context.font = "10.5px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = colours.soft;
    let [last, written] = [-Infinity, ""];
    for (let step = 0; step < run.times.length && run.rows[step] <= bottom; step += 1) {
      const at = y(run.rows[step]);
      if (at < HEAD || at - last < 16) continue;
      last = at;
      // Of instants that look alike the first is enough.
      const text = instant(run, run.times[step]);
      if (text !== written) context.fillText(text, LEFT, at);
      written = text;
    }
  }

  /** Lines in the style of what processes are, as far as the present. */
  drawLanes(context, y, row, moment) {
    const { run, surface } = this;
    const end = Math.min(y(row), surface.height);
    context.beginPath();
    for (let node = 0; node < run.nodes; node += this.shared) {
      context.moveTo(this.laneX(node), HEAD - 6);
      context.lineTo(this.laneX(node), surface.height);
    }
    context.strokeStyle = colours.faint;
    context.lineWidth = Math.min(1, this.pitch / 12);
    context.stroke();
    const pieces = new Map();
    for (let node = 0; node < run.nodes; node += 1) {
      let [life, from] = [run.life, HEAD - 6];
      const piece = (to) => {
        if (to <= from || to < 0 || life.startsWith("halted") || life === "crashed" || life === "has not started") return;
        if (!pieces.has(life)) pieces.set(life, new Map());
        const place = [this.laneX(node), Math.round(Math.max(from, HEAD - 6)), Math.round(to)];
        // Those who share a column are often alike, and one line is enough.
        pieces.get(life).set(place.join(), place);
      };
      for (const [event, next] of run.lifelines[node]) {
        if (event.number >= moment.cursor) break;
        piece(y(event.row));
        [life, from] = [next, y(event.row)];
      }
      piece(end);
    }
    // Those who lead are not hidden by others in their column.
    for (const life of [...pieces.keys()].sort((a, b) => (a === "leads") - (b === "leads"))) this.lanes(context, life, [...pieces.get(life).values()]);
  }

  lanes(context, life, pieces) {
    context.lineWidth = ({ leads: 4, follows: 2.2 }[life] ?? 1.4) * Math.min(1, Math.max(this.pitch / 16, 0.4));
    context.strokeStyle = { leads: colours.gold, asleep: colours.line, suspended: colours.line, follows: this.pitch < 8 && colours.line }[life] || colours.soft;
    context.setLineDash(life === "asleep" || life === "suspended" ? [2, 4] : []);
    for (let first = 0; first < pieces.length; first += CHUNK) {
      context.beginPath();
      for (const [x, from, to] of pieces.slice(first, first + CHUNK)) {
        context.moveTo(x, from);
        context.lineTo(x, to);
      }
      context.stroke();
    }
    context.setLineDash([]);
  }

  /** Where the arrow of a message begins and ends. */
  ends(message) {
    const { run } = this;
    const end = message.ends >= 0 ? run.events[message.ends].row : null;
    return [message.row >= 0 ? message.row : (end ?? 0) - 0.5, end];
  }

  /**
   * The pieces of an arrow, up to a part of its way: pairs of ends. Over the edge of a ring it leaves at one side of the
   * diagram and enters at the other.
   */
  pieces({ from, to }, y1, y2, part) {
    const { run, pitch } = this;
    const [x1, x2] = [this.laneX(from), this.laneX(to)];
    const at = (x, dx, share) => [x + dx * share, y1 + (y2 - y1) * share];
    if (!run.isRing || Math.abs(from - to) !== run.nodes - 1) return [[[x1, y1], at(x1, x2 - x1, part)]];
    const side = (from > to ? 1 : -1) * Math.min(Math.max(pitch, 12), 2 * (this.firstX - LEFT - 4));
    const pieces = [[[x1, y1], at(x1, side, Math.min(part, 0.5))]];
    if (part > 0.5) pieces.push([at(x2 - side, side, 0.5), at(x2 - side, side, part)]);
    return pieces;
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
      const target = end ?? begin + (message.lost ? 0.4 : 1.6);
      const share = end === null && message.lost ? 0.35 : end === null ? 0.7 : 1;
      const done = Math.min(1, Math.max(0, (row - begin) / Math.max(target - begin, 1e-9)));
      const [y1, y2] = [y(begin), y(begin + (target - begin) / share)];
      const layer = chosen.layer(message.number);
      if (done < 1 && run.nodes <= 4 * LANES) this.arrow(path(message, "later"), this.pieces(message, y1, y2, share));
      const pieces = this.pieces(message, y1, y2, share * done);
      if (begin <= row) this.arrow(path(message, layer), pieces, done === 1 && end !== null);
      if (message.lost && done === 1) this.cross(path(message, layer).strokes, ...pieces.at(-1)[1]);
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

  arrow({ strokes, heads }, pieces, arrives = false) {
    for (const [from, to] of pieces) {
      strokes.moveTo(...from);
      strokes.lineTo(...to);
    }
    if (!arrives || this.run.nodes > 2 * LANES) return;
    const [[x1, y1], [x2, y2]] = pieces.at(-1);
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
      if (run.nodes > LANES && !is("lead", "crash")) continue;
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
    const apart = this.pitch;
    const every = Math.ceil((8 + 7 * String(run.nodes - 1).length + 7) / apart);
    for (let node = 0; node < run.nodes; node += every * this.shared) {
      const x = this.laneX(node);
      const name = nameOf(run, node);
      context.font = `${chosen.process === node ? 700 : 600} 11.5px system-ui, sans-serif`;
      context.fillStyle = chosen.process === node ? colours.accent : colours.ink;
      context.fillText(name.length * 7 > apart * every ? `p${node}` : name, x, 11);
      if (this.shared > 1 || apart * every < 34) continue;
      context.font = "10px system-ui, sans-serif";
      context.fillStyle = colours.soft;
      context.fillText(run.heads[node].slice(0, Math.floor((apart * every) / 5.5)), x, 23);
    }
    if (this.shared === 1) return;
    context.textAlign = "right";
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = colours.soft;
    context.fillText(`${this.shared} processes in each column`, this.surface.width - 4, 23);
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
      for (const [[x1, y1], [x2, y2]] of this.pieces(message, this.y(begin), this.y(end), 1)) {
        const length = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1;
        const share = Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
        const distance = Math.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1));
        // Near its ends the processes are meant.
        const near = [message.from, message.to].some((node) => Math.abs(x - this.laneX(node)) < Math.min(4, this.pitch / 8));
        if (distance < least && !near) [found, least] = [{ message: message.number }, distance];
      }
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
