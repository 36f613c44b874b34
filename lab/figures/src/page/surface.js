// Canvases with the resolution of the screen, the colours of the style sheet, and the signs of messages.

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** The colours of the style sheet, read again when the theme changes. */
const colours = {
  read() {
    const style = getComputedStyle(document.documentElement);
    const names = ["page", "card", "ink", "soft", "faint", "line", "accent", "bad", "gold", "follow", "open", "cause", "effect"];
    for (const name of names) this[name] = style.getPropertyValue(`--${name}`).trim();
    this.kinds = Array.from({ length: 7 }, (_, kind) => style.getPropertyValue(`--kind${kind}`).trim());
  },
  kind(number) {
    return this.kinds[number % this.kinds.length];
  },
};

/** A canvas as large as its element, in whose context a unit is a pixel of the style sheet. */
class Surface {
  constructor(id, onresize) {
    this.canvas = byId(id);
    this.context = this.canvas.getContext("2d");
    this.onresize = onresize;
    new ResizeObserver(() => this.fit()).observe(this.canvas);
    this.fit();
  }

  fit() {
    const ratio = Math.max(window.devicePixelRatio || 1, 1);
    const { clientWidth, clientHeight } = this.canvas;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    this.width = clientWidth;
    this.height = clientHeight;
    this.ratio = ratio;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.onresize?.();
    }
  }

  clear() {
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    return this.context;
  }
}

/** Adds the outline of the sign of a kind: colours are not all that tells kinds apart. */
function outline(path, kind, x, y, r) {
  switch (kind % 5) {
    case 0:
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, 7);
      break;
    case 1:
      path.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
      break;
    case 2:
      polygon(path, x, y, 1.3 * r, 3, -Math.PI / 2);
      break;
    case 3:
      polygon(path, x, y, 1.25 * r, 4, 0);
      break;
    default:
      polygon(path, x, y, 1.15 * r, 5, -Math.PI / 2);
  }
}

function polygon(path, x, y, r, corners, turn) {
  for (let i = 0; i < corners; i += 1) {
    const angle = turn + (2 * Math.PI * i) / corners;
    path[i === 0 ? "moveTo" : "lineTo"](x + r * Math.cos(angle), y + r * Math.sin(angle));
  }
  path.closePath();
}

function star(path, x, y, r) {
  for (let i = 0; i < 10; i += 1) {
    const angle = -Math.PI / 2 + (Math.PI * i) / 5;
    const length = i % 2 === 0 ? r : 0.42 * r;
    path[i === 0 ? "moveTo" : "lineTo"](x + length * Math.cos(angle), y + length * Math.sin(angle));
  }
  path.closePath();
}

/** The sign of a kind as an element of a list or a table. */
function kindSign(kind) {
  const shapes = [
    '<circle cx="7" cy="7" r="4.5"/>', '<rect x="2.5" y="2.5" width="9" height="9"/>', '<path d="M7 1.5l5.3 9H1.7z"/>',
    '<path d="M7 1l6 6-6 6-6-6z"/>', '<path d="M7 1.5l5.5 4-2 6.5h-7l-2-6.5z"/>',
  ];
  const holder = document.createElement("span");
  holder.innerHTML = `<svg class="sign" viewBox="0 0 14 14" aria-hidden="true" style="fill:var(--kind${kind % 7})">${shapes[kind % 5]}</svg>`;
  return holder.firstChild;
}

/** Draws the disc of a process. */
function disc(context, life, x, y, r) {
  const halted = life.startsWith("halted");
  if (r < 4) {
    // There is no room for an outline.
    const status = halted ? life.slice(7) : life;
    context.fillStyle = { asleep: colours.faint, follows: colours.line, leads: colours.gold, crashed: colours.bad }[status] ?? colours.soft;
    const half = status === "leads" ? 2 * r : 0.8 * r;
    context.fillRect(x - half, y - half, 2 * half, 2 * half);
    return;
  }
  const [, status] = halted ? life.split(" ") : [null, life];
  context.beginPath();
  context.arc(x, y, r, 0, 7);
  context.fillStyle = { follows: colours.follow, leads: colours.gold, up: colours.follow }[status] ?? colours.open;
  if (life === "asleep" || life === "crashed" || life === "has not started") context.fillStyle = colours.card;
  context.fill();
  context.lineWidth = life === "leads" || halted ? Math.min(2.4, 0.25 * r + 0.5) : Math.min(1.4, 0.2 * r + 0.4);
  context.strokeStyle = { asleep: colours.line, "has not started": colours.line, crashed: colours.bad, suspended: colours.soft }[life] ?? colours.ink;
  context.setLineDash(["asleep", "suspended", "has not started"].includes(life) ? [3, 3] : []);
  context.stroke();
  context.setLineDash([]);
  if (life === "crashed") {
    context.beginPath();
    context.moveTo(x - 0.5 * r, y - 0.5 * r);
    context.lineTo(x + 0.5 * r, y + 0.5 * r);
    context.moveTo(x + 0.5 * r, y - 0.5 * r);
    context.lineTo(x - 0.5 * r, y + 0.5 * r);
    context.stroke();
  }
}

/** The disc of a process as an element of the legend. */
function lifeSign(life) {
  const style = {
    asleep: "fill:none;stroke:var(--line);stroke-dasharray:2 2", "has not started": "fill:none;stroke:var(--line);stroke-dasharray:2 2", open: "fill:var(--open);stroke:var(--ink)",
    follows: "fill:var(--follow);stroke:var(--ink)", up: "fill:var(--follow);stroke:var(--ink)",
    leads: "fill:var(--gold);stroke:var(--ink)", crashed: "fill:none;stroke:var(--bad)",
    suspended: "fill:var(--open);stroke:var(--soft);stroke-dasharray:2 2",
  }[life];
  const holder = document.createElement("span");
  holder.innerHTML = `<svg class="sign" viewBox="0 0 14 14" aria-hidden="true"><circle cx="7" cy="7" r="5" style="${style};stroke-width:1.4"/></svg>`;
  return holder.firstChild;
}
