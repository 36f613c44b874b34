// Words: numbers, names, and states as they are written in the algorithm's own terms.

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

const plural = (number, one, many = `${one}s`) => `${grouped(number)} ${number === 1 ? one : many}`;

/** The name of a process: of its file, or its number. */
const nameOf = (run, node) => run.network.names[node] ?? `p${node}`;

/** An instant, as the clock of the run shows it. */
function instant(run, at) {
  if (run.clock !== "ms") return grouped(Math.max(0, Math.floor(at + 1e-9)));
  return (Math.max(0, at) / 1000).toFixed(3);
}

/** An instant with its unit. */
const clockAt = (run, at) => (run.clock === "ms" ? `${instant(run, at)} s` : `${run.clock} ${instant(run, at)}`);

/** The step of an instant, and the clock then. */
function clockWords(run, now) {
  const step = stepAt(run, now);
  const words = `step ${grouped(step)} of ${grouped(run.times.length)}`;
  if (run.clock === "step") return words;
  return step === 0 && !run.tenure ? `${words} · start` : `${words} · ${clockAt(run, now)}`;
}

/** What a process is, in words. */
const lifeWords = (life) => ({ open: "has not decided", "halted follows": "follows, halted", "halted leads": "leads, halted" })[life] ?? life;

/** Splits text at commas that are in no brackets. */
function parts(text) {
  const all = [];
  let depth = 0;
  let begun = 0;
  for (let i = 0; i < text.length; i += 1) {
    if ("([{<".includes(text[i])) depth += 1;
    if (")]}>".includes(text[i])) depth -= 1;
    if (text[i] === "," && depth === 0) {
      all.push(text.slice(begun, i).trim());
      begun = i + 1;
    }
  }
  all.push(text.slice(begun).trim());
  return all.filter((part) => part !== "");
}

/** A value without the names of types that only wrap a number. */
const plainValue = (text) => text.replace(/\b[A-Z]\w*\((\d+)\)/g, "$1");

/**
 * The variables of a state: pairs of a name and a value. Structures and dictionaries inside of it become dotted
 * names, and the name of what a wrapper holds is left out.
 */
function variables(text, path = "") {
  const fields = /^(?:\w+ \{ (.*) \}|\{(\w+: .*)\})$/s.exec(text);
  if (!fields) return [[path || "state", plainValue(text)]];
  const all = [];
  for (const part of parts(fields[1] ?? fields[2])) {
    const colon = part.indexOf(": ");
    const name = part.slice(0, colon);
    const value = part.slice(colon + 2);
    const inner = name === "elector" || name === "elect" ? path : (path ? `${path}.` : "") + name;
    if (/^(\w+ \{ |\{\w+: )/.test(value)) all.push(...variables(value, inner)); else all.push([inner || name, plainValue(value)]);
  }
  return all;
}

/** What stands inside of the disc of a process, and beside it. */
function discWords(run, node) {
  const [head, name] = [run.heads[node], nameOf(run, node)];
  if (head.startsWith("id ")) return [head.slice(3), name];
  return [String(node), head === "member" ? "" : head];
}

/** An element with attributes and children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

const byId = (id) => document.getElementById(id);

/** Sets the text of an element, if it is another one. */
function say(id, text) {
  const place = byId(id);
  if (place.textContent !== text) place.textContent = text;
}
