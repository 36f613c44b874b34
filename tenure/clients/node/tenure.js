/**
 * Lead an office of a Tenure cluster, by the member that runs on this host, or by one of another host.
 *
 * docs/reference/local-protocol.md specifies the protocol, and tenure.d.ts documents what is exported. This module
 * needs nothing but Node.
 */

import { once } from "node:events";
import { openSync, readdirSync, readSync, statSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { connect } from "node:net";
import { join } from "node:path";

const VERSIONS = [1];
// A line of a member, such as a list of ten thousand offices, is no longer than this.
const LONGEST = 16 * 1024 * 1024;
// The greatest length of a value, in bytes.
const LONGEST_VALUE = 4096;
// Timers stop while the host is suspended; so the clock is read again after this many milliseconds at the latest.
const LOOK_AGAIN = 1000;
// Over HTTPS, the member sends something every 5 seconds, and answers at once. Who is silent for longer is gone.
const SILENCE = 15_000;

export class TenureError extends Error {
  get name() {
    return this.constructor.name;
  }
}

export class Refused extends TenureError {
  constructor(code, why) {
    super(why);
    this.code = code;
  }
}

export class NotWon extends Refused {}

export class NotLeading extends TenureError {}

const uptime = (() => {
  try {
    return openSync("/proc/uptime");
  } catch {
    return null;
  }
})();
const shown = Buffer.alloc(64);

/**
 * Milliseconds of a clock that never jumps, and goes on while the host is suspended: of those of Node, none does.
 * It shows whole hundredths of a second, so that up to `STEP` more may have passed. Without /proc, it stops meanwhile.
 */
function now() {
  if (uptime === null) return Math.floor(performance.now());
  const text = shown.latin1Slice(0, readSync(uptime, shown, 0, shown.length, 0));
  return Number(/^(\d+)\.(\d\d) /.exec(text).slice(1).join("")) * 10;
}
const STEP = uptime === null ? 1 : 10;

/** The socket that TENURE_SOCKET names, or the only one of a member that runs on this host. */
export async function find() {
  const { TENURE_SOCKET, TENURE_SOCKETS, XDG_RUNTIME_DIR, TMPDIR } = process.env;
  if (TENURE_SOCKET) return TENURE_SOCKET;
  const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const own = isFolder(XDG_RUNTIME_DIR ?? "") ? XDG_RUNTIME_DIR : process.geteuid() === 0 ? "/run" : (TMPDIR ?? "/tmp");
  const folders = isFolder(TENURE_SOCKETS ?? "") ? [TENURE_SOCKETS] : [own, "/run/tenure"];
  const found = [];
  for (const folder of folders.filter(isFolder)) {
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      if (/^tenure\..*\.socket$/.test(name) && (await listens(path))) found.push(path);
    }
  }
  if (found.length === 1) return found[0];
  const none = `no member runs on this host (see ${folders.join(" and ")})`;
  const what = found.length ? "several members run on this host" : none;
  throw new TenureError(`${what}: name a socket, or set TENURE_SOCKET`);
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new TenureError(`no member is found: ${cause.message}`, { cause });
  }
}

async function listens(path) {
  const attempt = connect({ path });
  try {
    await once(attempt, "connect");
    return true;
  } catch {
    return false;
  } finally {
    attempt.destroy();
  }
}

async function* linesOf(socket) {
  let [parts, length] = [[], 0];
  for await (let rest of socket) {
    for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)]);
      [parts, length] = [[], 0];
    }
    parts.push(rest);
    length += rest.length;
    if (length > LONGEST) throw new Error(`a line has more than ${LONGEST} bytes`);
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const STRING_OR_NUMBER = /("(?:[^"\\]|\\.)*")(\s*:)?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** Reads JSON. A number named `term` becomes a BigInt, since a float cannot have all of its values. */
function read(line) {
  // Every number is a string for `JSON.parse`, which begins with another letter than other strings do.
  const marked = UTF_8.decode(line).replace(STRING_OR_NUMBER, (token, string, colon) =>
    colon ? token : string ? `"s${string.slice(1)}` : `"n${token}"`,
  );
  return JSON.parse(marked, (key, value) => {
    if (typeof value !== "string") return value;
    const text = value.slice(1);
    if (value[0] === "s") return text;
    return key === "term" && /^\d+$/.test(text) ? BigInt(text) : Number(text);
  });
}

/** The name of a message, and what it says. */
function message(line) {
  const said = read(line);
  const names = Object.keys(said ?? {});
  if (Array.isArray(said) || typeof said !== "object" || names.length !== 1) throw new Error("it is no message");
  const content = said[names[0]];
  if (names[0] === "refused" && !(typeof content?.code === "string" && typeof content.why === "string")) {
    throw new Error("it gives no reason");
  }
  return { name: names[0], content };
}

/** What a program and a member say to each other, for one request. Its end wakes who hears. */
class Conversation {
  #signal;
  #withdraw = () => this.close();

  constructor(signal) {
    signal?.throwIfAborted();
    this.#signal = signal;
    signal?.addEventListener("abort", this.#withdraw);
  }

  fail(what, cause) {
    throw this.#signal?.aborted ? this.#signal.reason : new TenureError(what, { cause });
  }

  /** The next message; a refusal is thrown. */
  async hear() {
    let line, heard;
    try {
      line = await this.line();
    } catch (cause) {
      this.fail(`the member is gone: ${cause.message}`, cause);
    }
    if (line === undefined) this.fail("the member has closed the connection");
    try {
      heard = message(line);
    } catch (cause) {
      const begin = JSON.stringify(line.toString("latin1", 0, 100));
      this.fail(`the member answers nonsense: ${begin}: ${cause.message}`, cause);
    }
    if (heard.name !== "refused") return heard;
    const { code, why } = heard.content;
    throw code === "not_won" ? new NotWon(code, why) : new Refused(code, why);
  }

  async expect(wanted) {
    const { name, content } = await this.hear();
    if (name !== wanted) this.fail(`the member answers "${name}" in place of "${wanted}"`);
    return content;
  }

  /** From now on, no signal closes it. */
  keep() {
    this.#signal?.removeEventListener("abort", this.#withdraw);
    this.#signal = undefined;
  }

  close() {
    this.#signal?.removeEventListener("abort", this.#withdraw);
    this.end();
  }
}

/** A connection to a member's socket. */
class Connection extends Conversation {
  #socket;
  #lines;

  constructor(path, signal) {
    super(signal);
    this.#socket = connect({ path });
    // Who reads is told of it.
    this.#socket.on("error", () => {});
    this.#lines = linesOf(this.#socket);
  }

  /** Connects and greets. */
  static async open(path, signal) {
    path ??= await find();
    const connection = new Connection(path, signal);
    try {
      await once(connection.#socket, "connect").catch((cause) => connection.fail(`${path}: ${cause.message}`, cause));
      connection.say({ hello: { versions: VERSIONS } });
      await connection.expect("hello");
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  say(what) {
    if (!this.#socket.writable) this.fail("the member is gone");
    this.#socket.write(`${JSON.stringify(what)}\n`);
  }

  /** Waits until what was said is on its way. */
  async said() {}

  async line() {
    return (await this.#lines.next()).value;
  }

  end() {
    this.#socket.destroy();
  }
}

/** What a connection to a member's socket is for a program of its host: events of one answer, and requests. */
class Candidacy extends Conversation {
  #member;
  #agent;
  #events;
  #lines;
  #key;
  #said = Promise.resolve();
  #ended = false;

  constructor(member, signal) {
    super(signal);
    this.#member = member;
    const { Agent } = member.url.protocol === "https:" ? https : http;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 2 });
  }

  static async open(member, { office, ...stand }, signal) {
    const candidacy = new Candidacy(member, signal);
    try {
      candidacy.#events = await candidacy.#post(`/v1/offices/${encodeURIComponent(office)}/stand`, stand, 200);
      candidacy.#lines = linesOf(candidacy.#events);
      const { candidacy: key } = await candidacy.expect("hello");
      candidacy.#key = key;
      return candidacy;
    } catch (error) {
      candidacy.close();
      throw error;
    }
  }

  async #post(path, what, wanted) {
    let response;
    try {
      response = await this.#answer(path, JSON.stringify(what));
    } catch (cause) {
      this.fail(`the member is gone: ${cause.message}`, cause);
    }
    if (response.statusCode === wanted) return response;
    const code = { 400: "invalid", 401: "forbidden", 403: "forbidden" }[response.statusCode];
    const why = String((await linesOf(response).next().catch(() => ({}))).value ?? "");
    if (code) throw new Refused(code, why);
    this.fail(`the member answers ${response.statusCode}: ${why}`);
  }

  async #answer(path, body) {
    if (this.#ended) throw new Error("it was left");
    const { url, token, options } = this.#member;
    const { request: begin } = url.protocol === "https:" ? https : http;
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const request = begin(new URL(path, url), { ...options, method: "POST", headers, agent: this.#agent });
    // Who reads the answer is told of it.
    request.on("error", () => {});
    request.setTimeout(SILENCE, () => request.destroy(new Error(`it has said nothing for ${SILENCE} ms`)));
    request.end(body);
    try {
      return (await once(request, "response"))[0];
    } catch (error) {
      // The member closes a connection that was idle.
      if (request.reusedSocket && error.code === "ECONNRESET") return this.#answer(path, body);
      throw error;
    }
  }

  /** Begins to say it, after what was said before. */
  say(what) {
    const path = `/v1/candidacies/${encodeURIComponent(this.#key)}`;
    this.#said = this.#said.catch(() => {}).then(async () => {
      (await this.#post(path, what, 204)).resume();
    });
    // `said` tells of it.
    this.#said.catch(() => {});
  }

  /** Waits until the member has taken what was said. */
  said() {
    return this.#said;
  }

  async line() {
    for (let event = "", data; ; ) {
      const line = (await this.#lines.next()).value;
      const colon = line?.indexOf(":");
      // A line without a name says that the member is there.
      const name = line?.toString("latin1", 0, Math.max(colon, 0));
      if (name === "event") event = line.toString("utf8", colon + 1).trim();
      else if (name === "data") data = line.subarray(colon + 1);
      if (line === undefined) return undefined;
      if (data) return Buffer.concat([Buffer.from(`{${JSON.stringify(event)}:`), data, Buffer.from("}")]);
    }
  }

  end() {
    this.#ended = true;
    this.#agent.destroy();
  }
}

function field(content, name, is) {
  const value = content?.[name];
  if (!is(value)) throw new TenureError(`the member answers nonsense: ${name} is ${value}`);
  return value;
}

const isTerm = (value) => typeof value === "bigint";
const isCount = (value) => Number.isInteger(value) && value >= 0;

/** An option that is a whole number: JSON would say `null` of others, and so that there is none. */
function whole(name, value) {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
  throw new RangeError(`${name} is ${value}, and has to be a whole number of at least 0`);
}

/** The value of a leadership, which a member would refuse if it were anything else, and end the leadership. */
function lineOf(value) {
  if (typeof value === "string" && Buffer.byteLength(value) <= LONGEST_VALUE && !/[\p{Cc}\p{Cs}]/u.test(value)) {
    return value;
  }
  throw new RangeError(`a value is a line of at most ${LONGEST_VALUE} bytes without control characters`);
}

/** Stands in a conversation that `begin` begins. */
async function standing(begin, office, { priority, stop, wait, try: onlyTry, value, signal } = {}) {
  const stand = {
    office,
    priority: whole("priority", priority),
    stop_ms: whole("stop", stop),
    wait_ms: whole("wait", wait),
    try: onlyTry ? true : undefined,
    value: value === undefined ? undefined : lineOf(value),
  };
  const connection = await begin(stand, signal);
  try {
    const term = field(await connection.expect("leading"), "term", isTerm);
    const leadership = await new Promise((begin, fail) => new Leadership(connection, office, term, begin, fail));
    signal?.throwIfAborted();
    connection.keep();
    return leadership;
  } catch (error) {
    connection.close();
    throw error;
  }
}

export class RemoteMember {
  #of;

  constructor(url, token, options) {
    this.#of = { url: new URL(url), token, options };
  }

  stand(office, options) {
    return standing((stand, signal) => Candidacy.open(this.#of, stand, signal), office, options);
  }
}

export class Member {
  #path;

  constructor(path) {
    this.#path = path;
  }

  async #ask(answer, request) {
    const connection = await Connection.open(this.#path);
    try {
      connection.say(request);
      return await connection.expect(answer);
    } finally {
      connection.close();
    }
  }

  stand(office, options) {
    const begin = async (stand, signal) => {
      const connection = await Connection.open(this.#path, signal);
      connection.say({ stand });
      return connection;
    };
    return standing(begin, office, options);
  }

  list() {
    return this.#ask("offices", { list: {} });
  }

  show(office) {
    return this.#ask("office", { show: { office } });
  }

  async *watch(office, { signal } = {}) {
    const connection = await Connection.open(this.#path, signal);
    try {
      connection.say({ watch: { office } });
      for (;;) yield await connection.expect("office");
    } finally {
      connection.close();
    }
  }

  async resign(office) {
    await this.#ask("done", { resign: { office } });
  }

  async transfer(office, to) {
    await this.#ask("done", { transfer: { office, to } });
  }
}

export class Leadership {
  #connection;
  #until; // On our clock, once the first ping is answered.
  #over = false;
  #leaving = false;
  #end; // How the connection has ended: an error, or `null` if the office is released.
  #ended;
  #told = false; // That the work should end.
  #timer;
  #stopping = new AbortController();
  #lost = new AbortController();

  /** Calls `begin` when it is known for how long the leadership is certain, or else `fail`. */
  constructor(connection, office, term, begin, fail) {
    this.#connection = connection;
    this.office = office;
    this.term = term;
    this.#ping();
    this.#ended = this.#hear(() => {
      if (this.#until !== undefined) begin(this);
      else if (this.#end) fail(this.#end);
      else if (this.#over) fail(new NotLeading(`${office} was lost before it could be led`));
    });
  }

  get stopping() {
    return this.#stopping.signal;
  }

  get lost() {
    return this.#lost.signal;
  }

  validFor() {
    const left = this.#over ? 0 : this.#until - (now() + STEP);
    // Who has seen it end never sees it again.
    this.#over = !(left > 0);
    return this.#over ? 0 : left;
  }

  check() {
    if (this.validFor() === 0) throw this.#notLeading();
  }

  isStopping() {
    return this.#told || this.validFor() === 0;
  }

  proclaim(value) {
    const proclaim = { value: lineOf(value) };
    this.check();
    this.#connection.say({ proclaim });
  }

  resign() {
    return this.transfer();
  }

  async transfer(to) {
    if (this.#leaving) return;
    this.#leaving = this.#over = true;
    clearTimeout(this.#timer);
    try {
      this.#connection.say({ release: { to } });
      await this.#connection.said();
    } catch {
      // With the member, the leadership is gone.
      this.#connection.close();
    }
    await this.#ended;
    this.#connection.close();
    if (this.#end instanceof Refused) throw this.#end;
  }

  #notLeading() {
    return new NotLeading(`${this.office} is not led any more in term ${this.term}`);
  }

  #ping() {
    // What the member says in answer counts from now: whatever is held up, we never count on too much.
    this.#connection.say({ alive: { ping: now() } });
  }

  async #hear(settle) {
    while (this.#end === undefined) {
      try {
        this.#react(await this.#connection.hear());
      } catch (error) {
        this.#end = error;
        this.#told = true;
      }
      settle();
      this.#look();
    }
  }

  #react({ name, content }) {
    if (name === "valid") {
      const until = field(content, "ping", isCount) + field(content, "for_ms", isCount);
      this.#until = Math.max(this.#until ?? 0, until);
      try {
        if (!this.#leaving) this.#ping();
      } catch {
        // The member is gone. Read first what it has said.
      }
    } else if (name === "over") {
      this.#over = true;
    } else if (name === "stopping") {
      this.#told = true;
    } else if (name === "released") {
      this.#end = null;
    }
  }

  /** Looks at the clock at the end, even if nothing is heard: a member that is gone extends nothing any more. */
  #look() {
    clearTimeout(this.#timer);
    if (this.#leaving || this.#until === undefined) return;
    const news = this.#told && !this.stopping.aborted;
    // Also what is known already is told by a timer: so who has just begun to lead can listen first.
    this.#timer = setTimeout(() => this.#tell(), news ? 0 : Math.min(this.validFor(), LOOK_AGAIN));
  }

  #tell() {
    if (this.validFor() > 0) {
      if (this.#told) this.#stopping.abort(new TenureError(`the work for ${this.office} should end`));
      this.#look();
    } else if (!this.lost.aborted) {
      this.#lost.abort(this.#notLeading());
      this.#stopping.abort(this.lost.reason);
    }
  }
}

// `await using` ends the leadership with its block, where the language has that.
if (Symbol.asyncDispose) Leadership.prototype[Symbol.asyncDispose] = Leadership.prototype.resign;
