// The program of the page, if it has one: a WASI program, which reads a question from its standard input and writes the
// answer to its standard output. It runs beside the page, so that the page can be used meanwhile, and each question has
// an instance of its own, so that none depends on those before it.

class Program {
  /** Makes a program of its compiled module, or a promise of it. */
  constructor(module) {
    this.module = module;
    this.last = Promise.resolve();
    this.start();
  }

  /** Compiles a program, which a page has packed by gzip. */
  static async compile(base64) {
    const packed = new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]);
    const bytes = new Response(packed.stream().pipeThrough(new DecompressionStream("gzip")));
    return WebAssembly.compile(await bytes.arrayBuffer());
  }

  /** Starts anew: what was asked before is not answered. */
  start() {
    this.worker?.terminate();
    // Nothing else can be loaded: the worker is made of the code that is here.
    const code = [Exit, System, answer, `(${serve})()`].join("\n");
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = new Worker(url);
    this.worker = worker;
    this.ready = Promise.resolve(this.module).then((module) => worker.postMessage(module));
    this.last = Promise.resolve();
  }

  /** The answer to a question, which comes after those to all questions before it; an error, if it is one. */
  ask(question) {
    const { worker, ready } = this;
    const put = () => new Promise((done) => {
      worker.onmessage = ({ data }) => done(data);
      worker.postMessage(JSON.stringify(question));
    });
    const answered = Promise.all([ready, this.last]).then(put).then((text) => {
      const { error, ...parts } = JSON.parse(text);
      if (error !== undefined) throw new Error(error);
      return Object.values(parts)[0];
    });
    this.last = answered.catch(() => {});
    return answered;
  }
}

/** What a worker does: it gets the program, and then questions. */
function serve() {
  let program = null;
  onmessage = ({ data }) => {
    if (typeof data === "string") postMessage(answer(program, data)); else program = data;
  };
}

/** Runs the program. */
function answer(program, input) {
  const system = new System(new TextEncoder().encode(input));
  try {
    const instance = new WebAssembly.Instance(program, { wasi_snapshot_preview1: system.imports() });
    system.memory = instance.exports.memory;
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) return JSON.stringify({ error: system.text(2) || String(error) });
  }
  return system.text(1);
}

/** What ends a program. */
class Exit extends Error {}

/** What the program needs of a system: its input, its output, and no more. */
class System {
  constructor(input) {
    this.input = input;
    this.written = { 1: [], 2: [] };
  }

  text(stream) {
    const decoder = new TextDecoder();
    return this.written[stream].map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode();
  }

  get view() {
    return new DataView(this.memory.buffer);
  }

  /** Calls `each` for every part of memory in a list of them, and writes the sum of what it returns. */
  vector(list, length, sum, each) {
    let all = 0;
    for (let i = 0; i < length; i += 1) {
      const at = this.view.getUint32(list + 8 * i, true);
      all += each(new Uint8Array(this.memory.buffer, at, this.view.getUint32(list + 8 * i + 4, true)));
    }
    this.view.setUint32(sum, all, true);
    return 0;
  }

  imports() {
    // The error numbers of WASI that are needed: none, "there is no such file", and "there is no such function".
    const [DONE, CLOSED, ABSENT] = [0, 8, 52];
    const zero = (...places) => {
      for (const place of places) this.view.setUint32(place, 0, true);
      return DONE;
    };
    const known = {
      fd_read: (_, list, length, sum) => this.vector(list, length, sum, (part) => {
        const taken = this.input.subarray(0, part.length);
        part.set(taken);
        this.input = this.input.subarray(taken.length);
        return taken.length;
      }),
      fd_write: (stream, list, length, sum) => this.vector(list, length, sum, (part) => {
        this.written[stream]?.push(part.slice());
        return part.length;
      }),
      // It has no folder, and looks for one when it asks whether a word names a file.
      fd_prestat_get: () => CLOSED,
      environ_sizes_get: zero,
      environ_get: () => DONE,
      args_sizes_get: zero,
      args_get: () => DONE,
      // The same question has the same answer.
      random_get: (place, length) => {
        new Uint8Array(this.memory.buffer, place, length).fill(0);
        return DONE;
      },
      proc_exit: () => {
        throw new Exit();
      },
    };
    return new Proxy(known, { get: (all, name) => all[name] ?? (() => ABSENT) });
  }
}
