// The network: discs for processes, and messages that move along links.

/** From how many processes on discs have no names. */
const NAMED = 80;

/** From how many messages under way on they have no words. */
const WORDY = 10;

/** Whether two boxes have a place in common. */
const meet = ([a, b, c, d], [x, y, width, height]) => a < x + width && x < a + c && b < y + height && y < b + d;

class NetworkView {
  constructor(run, player) {
    this.run = run;
    this.player = player;
    this.spots = [];
    this.still = document.createElement("canvas");
    this.surface = new Surface("network", () => this.place());
    this.place();
  }

  show(run) {
    const same = this.run.network === run.network && this.run.heads.join() === run.heads.join();
    this.run = run;
    if (!same) this.place();
  }

  /** Puts the nodes on the canvas, with the same scale both ways, and draws what does not move. */
  place() {
    const { run, surface } = this;
    if (!surface) return;
    const { places } = run.network;
    const [xs, ys] = [places.map((at) => at[0]), places.map((at) => at[1])];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const longest = Math.max(...run.heads.map((_, node) => Math.max(...discWords(run, node).map((word) => word.length))));
    const edge = run.nodes > NAMED ? [18, 18] : [Math.min(24 + 6 * longest, surface.width / 5), 34];
    const room = [surface.width - 2 * edge[0], surface.height - 2 * edge[1]];
    const scale = Math.min(room[0] / Math.max(right - left, 1e-9), room[1] / Math.max(bottom - top, 1e-9));
    const size = Number.isFinite(scale) && scale < 1e8 ? scale : 1;
    const middle = [(left + right) / 2, (top + bottom) / 2];
    this.at = places.map(([x, y]) =>
      [surface.width / 2 + (x - middle[0]) * size, surface.height / 2 + (y - middle[1]) * size]);
    this.radius = Math.max(2.2, Math.min(17, this.nearest() * 0.32));
    this.placeNames();
    this.paintLinks();
    this.player.paint();
  }

  /** The least distance of two nodes, of those that follow each other by number or by a link. */
  nearest() {
    let least = Infinity;
    const look = (a, b) => {
      const [dx, dy] = [this.at[a][0] - this.at[b][0], this.at[a][1] - this.at[b][1]];
      if (a !== b) least = Math.min(least, Math.hypot(dx, dy));
    };
    for (let node = 1; node < this.at.length; node += 1) look(node - 1, node);
    for (const [a, b] of this.run.network.links) look(a, b);
    return Number.isFinite(least) ? least : 60;
  }

  paintLinks() {
    const { surface, run } = this;
    this.still.width = surface.canvas.width;
    this.still.height = surface.canvas.height;
    if (this.still.width === 0 || this.still.height === 0) return;
    const context = this.still.getContext("2d");
    context.setTransform(surface.ratio, 0, 0, surface.ratio, 0, 0);
    const { links, sparse } = run.network;
    context.beginPath();
    for (const [a, b] of links) {
      context.moveTo(...this.at[a]);
      context.lineTo(...this.at[b]);
    }
    if (sparse) {
      // Of so many links only those are drawn on which something is under way.
      context.font = "12px system-ui, sans-serif";
      context.fillStyle = colours.soft;
      context.fillText("links appear with their messages", 8, surface.height - 8);
    }
    context.strokeStyle = colours.line;
    const isComplete = links.length > 40 && links.length === (run.nodes * (run.nodes - 1)) / 2;
    context.globalAlpha = isComplete ? Math.min(1, 0.15 + 40 / links.length) : 0.8;
    context.lineWidth = 1;
    context.stroke();
  }

  /** The messages under way, each with where it is: pairs of the message and a place. */
  *underWay(moment, now) {
    const { run } = this;
    if (run.tenure) {
      for (const flight of flightsAt(run.tenure, now)) yield [flight, flight.progress];
      return;
    }
    for (const number of moment.underWay) {
      const message = run.messages[number];
      yield [message, progress(run, message, now)];
    }
  }

  /** Where a message is: beside its link, so that those that come the other way pass it; and on which side. */
  spot(message, share) {
    const [from, to] = [this.at[message.from], this.at[message.to]];
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const apart = Math.hypot(dx, dy) || 1;
    const margin = Math.min(0.4, (this.radius + 5) / apart);
    const along = margin + (1 - 2 * margin) * share;
    const aside = this.run.nodes > 200 ? 6 : Math.min(5, this.radius * 0.4);
    const [sx, sy] = [-dy / apart, dx / apart];
    return [from[0] + dx * along + sx * aside, from[1] + dy * along + sy * aside, sx, sy];
  }

  draw(moment, now, chosen) {
    const { run, surface } = this;
    const context = surface.clear();
    if (this.still.width > 0) context.drawImage(this.still, 0, 0, surface.width, surface.height);
    const moving = [...this.underWay(moment, now)];
    this.drawWays(context, moving, chosen);
    this.drawNodes(context, moment, chosen);
    this.spots = [];
    const groups = new Map();
    for (const [message, share] of moving) {
      const [x, y, ...side] = this.spot(message, share);
      this.spots.push([x, y, message, side]);
      const key = `${message.kind}${this.dimmed(message, chosen) ? "-" : "+"}`;
      if (!groups.has(key)) groups.set(key, [message.kind, []]);
      groups.get(key)[1].push([x, y]);
    }
    for (const [key, [kind, places]] of groups) {
      context.globalAlpha = key.endsWith("-") ? 0.2 : 1;
      context.fillStyle = colours.kind(kind);
      if (run.nodes > 200) {
        for (const [x, y] of places) context.fillRect(x - 2.2, y - 2.2, 4.4, 4.4);
        continue;
      }
      context.beginPath();
      for (const [x, y] of places) outline(context, kind, x, y, 5);
      context.fill();
      context.lineWidth = 1;
      context.strokeStyle = colours.card;
      context.stroke();
    }
    context.globalAlpha = 1;
    this.words = [];
    if (moving.length <= WORDY && run.nodes <= 40 && !run.tenure) this.drawWords(context, chosen);
    this.player.scheduler?.ring(context, this, now);
    this.describe(moment, moving.length);
  }

  dimmed(message, chosen) {
    return chosen.cone !== null && !chosen.holds(message.number);
  }

  /** The links on which messages are, and the one that is chosen. */
  drawWays(context, moving, chosen) {
    context.strokeStyle = colours.soft;
    context.globalAlpha = Math.min(0.9, 0.08 + 12 / Math.max(moving.length, 1));
    context.lineWidth = this.run.nodes > 200 ? 0.8 : 1.5;
    // Paths of many lines take more than linear time to draw.
    for (let first = 0; first < moving.length; first += 64) {
      context.beginPath();
      for (const [message] of moving.slice(first, first + 64)) {
        context.moveTo(...this.at[message.from]);
        context.lineTo(...this.at[message.to]);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
    if (chosen.message < 0) return;
    const message = this.run.messages[chosen.message];
    context.beginPath();
    context.moveTo(...this.at[message.from]);
    context.lineTo(...this.at[message.to]);
    context.strokeStyle = colours.accent;
    context.lineWidth = 3;
    context.stroke();
  }

  drawNodes(context, moment, chosen) {
    const { run, radius } = this;
    const inside = radius >= 11;
    for (let node = 0; node < run.nodes; node += 1) {
      const [x, y] = this.at[node];
      const life = moment.lives[node];
      disc(context, life, x, y, radius);
      if (life.endsWith("leads")) {
        context.beginPath();
        star(context, ...(inside ? this.crown(node) : [x, y]), Math.max(7, radius * 0.5));
        context.fillStyle = colours.gold;
        context.fill();
        context.lineWidth = 1;
        context.strokeStyle = colours.ink;
        context.stroke();
      }
      if (chosen.process === node) {
        context.beginPath();
        context.arc(x, y, radius + 4, 0, 7);
        context.lineWidth = 2.5;
        context.strokeStyle = colours.accent;
        context.stroke();
      }
      if (!this.inside[node]) continue;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.font = `600 ${Math.max(8, Math.min(13, radius * 0.85))}px system-ui, sans-serif`;
      context.fillStyle = life.endsWith("leads") ? "#1d1f24" : colours.ink;
      context.fillText(this.inside[node], x, y + 0.5);
    }
    for (const [text, box] of this.names.filter((name) => name)) this.write(context, text, box, colours.soft);
  }

  /** Finds a place for what is written beside each disc: where it lies on no disc and on no other of these words. */
  placeNames() {
    const { run, surface, radius } = this;
    this.inside = [];
    this.names = [];
    this.taken = [];
    if (run.nodes > NAMED) return;
    surface.context.font = "11px system-ui, sans-serif";
    for (let node = 0; node < run.nodes; node += 1) {
      const [x, y] = this.at[node];
      let [inner, outer] = discWords(run, node);
      const fits = radius >= 7 && inner.length * Math.max(8, Math.min(13, radius * 0.85)) * 0.6 <= 2 * radius - 2;
      if (!fits) [inner, outer] = ["", outer ? `${outer}: ${inner}` : inner];
      this.inside.push(inner);
      if (outer === "") continue;
      const away = Math.atan2(y - surface.height / 2, x - surface.width / 2);
      const box = this.free(outer, x, y, radius + 5, away, 8, this.taken);
      if (box) this.names[node] = [outer, box];
      if (box) this.taken.push(box);
    }
  }

  /** The place of a leader's star: on the edge of its disc, away from its name. */
  crown(node) {
    const [x, y] = this.at[node];
    const [left, top, width, height] = this.names[node]?.[1] ?? [x - 1, y + 1, 0, 0];
    const angle = Math.atan2(y - top - height / 2, x - left - width / 2);
    return [x + this.radius * Math.cos(angle), y + this.radius * Math.sin(angle)];
  }

  /**
   * A free box for words beside a place, `far` from it: as near to a direction as can be. In none of these boxes, on no
   * disc, and on the canvas; null if there is none.
   */
  free(text, x, y, far, direction, ways, boxes) {
    const { surface } = this;
    const [width, height] = [surface.context.measureText(text).width + 4, 14];
    for (let way = 0; way < 3 * ways; way += 1) {
      const turn = ((way % ways) + 1) >> 1;
      const angle = direction + (way % 2 === 0 ? turn : -turn) * ((2 * Math.PI) / ways);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      // The box touches a circle around the place, stands a little off, or is nearer.
      const reach = far + [0, 9, -4][Math.floor(way / ways)] + Math.abs(cos) * (width / 2) + Math.abs(sin) * (height / 2);
      const box = [x + cos * reach - width / 2, y + sin * reach - height / 2, width, height];
      const [left, top] = box;
      const onCanvas = left >= 0 && top >= 0 && left + width <= surface.width && top + height <= surface.height;
      if (onCanvas && !boxes.some((other) => meet(box, other)) && !this.at.some((disc) => this.covers(disc, box))) return box;
    }
    return null;
  }

  /** Whether the disc of a process lies on a box. */
  covers([x, y], [left, top, width, height]) {
    const dx = x - Math.max(left, Math.min(x, left + width));
    const dy = y - Math.max(top, Math.min(y, top + height));
    return Math.hypot(dx, dy) < this.radius + 1;
  }

  write(context, text, [left, top, width, height], colour) {
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 3.5;
    context.lineJoin = "round";
    context.strokeStyle = colours.card;
    context.strokeText(text, left + width / 2, top + height / 2);
    context.fillStyle = colour;
    context.fillText(text, left + width / 2, top + height / 2);
  }

  /** Writes what messages carry beside them; where there is no free place, nothing. */
  drawWords(context, chosen) {
    const boxes = [...this.taken, ...this.spots.map(([x, y]) => [x - 5, y - 5, 10, 10])];
    context.font = "11px system-ui, sans-serif";
    for (const [x, y, message, [sx, sy]] of this.spots) {
      if (this.dimmed(message, chosen)) continue;
      const box = this.free(message.words, x, y, 6, Math.atan2(sy, sx), 8, boxes);
      if (!box) continue;
      boxes.push(box);
      this.words.push(box);
      this.write(context, message.words, box, colours.kind(message.kind));
    }
  }

  describe(moment, moving) {
    const counts = new Map();
    for (const life of moment.lives) counts.set(life, (counts.get(life) ?? 0) + 1);
    const lives = [...counts].map(([life, count]) => `${grouped(count)} ${lifeWords(life)}`).join(", ");
    this.description = `Network of ${plural(this.run.nodes, "process", "processes")}: ${lives}; ${plural(moving, "message")} under way`;
  }

  /** The messages at a place of the canvas, by their numbers, the nearest first. */
  messagesAt(x, y) {
    const far = ([px, py]) => Math.hypot(px - x, py - y);
    const near = this.run.tenure ? [] : this.spots.filter((spot) => far(spot) < 9);
    return near.sort((a, b) => far(a) - far(b)).map(([, , message]) => message.number);
  }

  /** What is at a place of the canvas: a message, else a process, else null. */
  hit(x, y) {
    const [message] = this.messagesAt(x, y);
    if (message !== undefined) return { message };
    let [process, least] = [null, Math.max(this.radius + 4, 12)];
    this.at.forEach(([px, py], node) => {
      const distance = Math.hypot(px - x, py - y);
      if (distance < least) [process, least] = [node, distance];
    });
    return process === null ? null : { process };
  }
}
