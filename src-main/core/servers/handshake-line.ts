/**
 * The second line to a server that speaks both eras. The line that all share speaks 2026-07-28; what asks its client by a request,
 * as servers of the handshake era do, fails there. So sessions of the handshake era get a line in theirs: opened when one of them
 * first needs it, closed with the last of them.
 */
import { AppError, errorText } from '../base/errors.ts';
import type { Connection } from './connection.ts';
import { isRefusal } from './handshake.ts';
import { ServerSubscriptions } from './server-subscriptions.ts';

interface HandshakeLineOptions {
  /** `closed` is to be called when it ends. */
  readonly open: (closed: () => void) => Promise<Connection>;
  readonly now: () => number;
  /** The server does not speak the handshake era after all. */
  readonly onRefused: () => void;
  /** It was opened, or is gone. */
  readonly onChange: () => void;
  readonly onOddity: (text: string) => void;
}

/** A server that cannot be had twice, such as one that locks its files, is not tried again before. */
const restMs = 5 * 60_000;

interface Line {
  readonly opening: Promise<Connection>;
  connection: Connection | undefined;
  /** ms since 1970. */
  openedAt: number;
}

export class HandshakeLine {
  readonly subscriptions: ServerSubscriptions;
  readonly #options: HandshakeLineOptions;
  /** Sessions that have used it. */
  readonly #users = new Set<string>();
  #line: Line | undefined;
  #failedAt = -Infinity;

  constructor(options: HandshakeLineOptions) {
    this.#options = options;
    this.subscriptions = new ServerSubscriptions(
      () => this.connection,
      () => undefined,
    );
  }

  get connection(): Connection | undefined {
    return this.#line?.connection;
  }

  /** In ms since 1970; undefined while it is not open. */
  get openedAt(): number | undefined {
    return this.connection && this.#line?.openedAt;
  }

  /** For a session of the handshake era, opened if need be. Rejects with the reason it cannot be. */
  get(sessionId: string): Promise<Connection> {
    this.#users.add(sessionId);
    this.#line ??= this.#begin();
    return this.#line.opening;
  }

  /** What `open` gives, a line of the handshake era; undefined where there is none to be had, so that the shared one has to do. */
  async attempt(open: () => Promise<Connection>): Promise<Connection | undefined> {
    const { now, onRefused, onOddity } = this.#options;
    if (now() - this.#failedAt < restMs) return undefined;
    try {
      return await open();
    } catch (error) {
      if (error instanceof AppError && error.code === 'cancelled') throw error;
      if (isRefusal(error)) onRefused();
      else {
        this.#failedAt = now();
        onOddity(`A second line, for apps with a handshake, could not be opened: ${errorText(error)}`);
      }
      return undefined;
    }
  }

  async endSession(sessionId: string): Promise<void> {
    this.subscriptions.endSession(sessionId);
    if (this.#users.delete(sessionId) && this.#users.size === 0) await this.close();
  }

  /** Closes it until somebody asks again. */
  async close(): Promise<void> {
    const line = this.#line;
    this.#users.clear();
    if (line === undefined) return;
    this.#drop(line);
    await line.opening.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  #begin(): Line {
    const { open, now, onChange } = this.#options;
    const line: Line = {
      connection: undefined,
      openedAt: 0,
      opening: Promise.resolve().then(() => open(() => this.#drop(line))),
    };
    line.opening.then(
      (connection) => {
        if (this.#line !== line) return;
        line.connection = connection;
        line.openedAt = now();
        this.#failedAt = -Infinity;
        if (connection.handshake !== undefined) this.subscriptions.opened(connection.handshake);
        onChange();
      },
      () => this.#drop(line),
    );
    return line;
  }

  #drop(line: Line): void {
    if (this.#line !== line) return;
    this.#line = undefined;
    if (line.connection !== undefined) this.#options.onChange();
  }
}
