/** The member cannot be reached, or does not keep to the protocol. */
export class TenureError extends Error {}

/** The member refuses a request, or has failed to carry it out. The protocol has the codes. */
export class Refused extends TenureError {
  readonly code: string;
}

/** The office was not won in time, or another program leads it. */
export class NotWon extends Refused {}

/** The leadership is over. */
export class NotLeading extends TenureError {}

/** An office, as a member knows it. There may be more fields, and any but the name may be missing. */
export interface Office {
  office: string;
  leader?: string | null;
  /** The term of the leader, or else the last known one. */
  term?: bigint | null;
  value?: string | null;
  /** How often the leader of this term has changed its value. */
  change?: number | null;
  since?: string | null;
  staleness_ms?: number;
  valid_for_ms?: number | null;
  here?: boolean;
  [more: string]: unknown;
}

export interface StandOptions {
  /** Among the candidates for a vacant office, the one with the greatest leads. */
  priority?: number;
  /** How long the work may go on after the leadership was lost, in whole milliseconds. */
  stop?: number;
  /** How long to stand, in whole milliseconds; then `NotWon` is thrown. */
  wait?: number;
  /** Give up, with `NotWon`, as soon as another program is known to lead. */
  try?: boolean;
  /** What others are told of this leader, such as its address: a line of at most 4,096 bytes. */
  value?: string;
  /** Stops standing; without effect once the office is led. */
  signal?: AbortSignal;
}

/** The socket that TENURE_SOCKET names, or the only one of a member that runs on this host. */
export function find(): Promise<string>;

/** A member that stands for programs of other hosts. */
export class RemoteMember {
  /**
   * At the URL of its HTTP, with the token of this program in the member's configuration. The options are those of
   * `https.request`: `ca` has the authority of the member's certificate.
   */
  constructor(url: string | URL, token: string, options?: import("node:https").RequestOptions);

  /** Stands until the office is led. */
  stand(office: string, options?: StandOptions): Promise<Leadership>;
}

/** The member that stands for programs of this host. */
export class Member {
  /** At this socket, or else at that which `find` finds. */
  constructor(path?: string);

  /** Stands until the office is led. */
  stand(office: string, options?: StandOptions): Promise<Leadership>;

  /** All offices that any member knows. */
  list(): Promise<Office[]>;

  /** An office, as any member knows it. */
  show(office: string): Promise<Office>;

  /** An office now and at each change. Ends by an error with the member, or by the signal. */
  watch(office: string, options?: { signal?: AbortSignal }): AsyncGenerator<Office, never, void>;

  /** Asks the leader of an office, wherever it is, to leave it, and waits until it has. */
  resign(office: string): Promise<void>;

  /** Asks the leader of an office, wherever it is, to leave it to a participant, and waits until that one leads. */
  transfer(office: string, to: string): Promise<void>;
}

/**
 * The leadership of an office, for one term.
 *
 * It lasts for as long as the member can extend it and the event loop of this process turns. All work for it has to be
 * over when `resign` is called, and the stop time after it is lost.
 */
export class Leadership {
  private constructor();

  readonly office: string;

  /** The fencing token. */
  readonly term: bigint;

  /** Aborted when the leadership is lost, by the clock at the latest; not by `resign`. */
  readonly lost: AbortSignal;

  /** Aborted when the work should end: the member wants the office back, is gone, or the leadership is lost. */
  readonly stopping: AbortSignal;

  /** Whether the work should end. Reads the clock, and so is right also before the event loop turns again. */
  isStopping(): boolean;

  /** For how many milliseconds from now the leadership is certain; 0 if it is over. */
  validFor(): number;

  /** Throws `NotLeading` if the leadership is over. */
  check(): void;

  /** Sets what others are told of this leader. */
  proclaim(value: string): void;

  /** Releases the office, after the work has ended. */
  resign(): Promise<void>;

  /** Releases the office to a participant, after the work has ended; to any, with `Refused`, if that cannot lead. */
  transfer(to: string): Promise<void>;

  /** Resigns. There if the runtime has it. */
  [Symbol.asyncDispose](): Promise<void>;
}
