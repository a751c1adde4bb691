/** Connections of one server that belong to one session each, opened when first needed and closed with the session. */
import type { CallContext } from './calls-in-flight.ts';
import type { Connection } from './connection.ts';

interface Line {
  /** The session as its latest call describes it. */
  context: CallContext;
  /** When that was: the order of calls. */
  usedAt: number;
  readonly opening: Promise<Connection>;
  connection: Connection | undefined;
}

/** Each is a process, or a session at a server over HTTP. */
const mostLines = 16;

type OpenPrivate = (owner: () => CallContext, closed: () => void) => Promise<Connection>;

export class PrivateConnections {
  readonly #lines = new Map<string, Line>();
  readonly #open: OpenPrivate;
  #uses = 0;

  constructor(open: OpenPrivate) {
    this.#open = open;
  }

  /** Whether the session has a line, or there is room for one more: the one that was used longest ago gives way, unless it is busy. */
  hasRoom(sessionId: string): boolean {
    return this.#lines.has(sessionId) || this.#lines.size < mostLines || this.#longestUnused() !== undefined;
  }

  async get(context: CallContext): Promise<Connection> {
    const known = this.#lines.get(context.sessionId);
    if (known !== undefined) {
      known.context = context;
      known.usedAt = ++this.#uses;
      return known.opening;
    }
    const spare = this.#lines.size < mostLines ? undefined : this.#longestUnused();
    if (spare !== undefined) void this.close(spare);
    const drop = (): void => {
      if (this.#lines.get(context.sessionId) === line) this.#lines.delete(context.sessionId);
    };
    const line: Line = {
      context,
      usedAt: ++this.#uses,
      connection: undefined,
      opening: Promise.resolve().then(() => this.#open(() => line.context, drop)),
    };
    this.#lines.set(context.sessionId, line);
    try {
      line.connection = await line.opening;
      return line.connection;
    } catch (error) {
      drop();
      throw error;
    }
  }

  has(sessionId: string): boolean {
    return this.#lines.has(sessionId);
  }

  find(sessionId: string): Connection | undefined {
    return this.#lines.get(sessionId)?.connection;
  }

  async close(sessionId: string): Promise<void> {
    const line = this.#lines.get(sessionId);
    this.#lines.delete(sessionId);
    await line?.opening.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  #longestUnused(): string | undefined {
    const idle = [...this.#lines].filter(([, { connection }]) => connection?.inFlight === 0);
    return idle.toSorted(([, a], [, b]) => a.usedAt - b.usedAt)[0]?.[0];
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#lines.keys()].map((sessionId) => this.close(sessionId)));
  }
}
