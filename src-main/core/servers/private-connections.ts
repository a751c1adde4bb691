/** Connections of one server that belong to one session each, opened when first needed and closed with the session. */
import type { CallContext } from './call-context.ts';
import type { Connection } from './connection.ts';

interface Line {
  /** The session as its latest call describes it. */
  context: CallContext;
  readonly opening: Promise<Connection>;
  connection: Connection | undefined;
}

export type OpenPrivate = (owner: () => CallContext, closed: () => void) => Promise<Connection>;

export class PrivateConnections {
  readonly #lines = new Map<string, Line>();
  readonly #open: OpenPrivate;

  constructor(open: OpenPrivate) {
    this.#open = open;
  }

  /** Calls that wait for an answer, over all sessions. */
  get inFlight(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + (line.connection?.inFlight ?? 0), 0);
  }

  async get(context: CallContext): Promise<Connection> {
    const known = this.#lines.get(context.sessionId);
    if (known !== undefined) {
      known.context = context;
      return known.opening;
    }
    const drop = (): void => {
      if (this.#lines.get(context.sessionId) === line) this.#lines.delete(context.sessionId);
    };
    const line: Line = {
      context,
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

  async closeAll(): Promise<void> {
    await Promise.all([...this.#lines.keys()].map((sessionId) => this.close(sessionId)));
  }
}
