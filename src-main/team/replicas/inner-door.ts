/**
 * Where other replicas bring what they were asked for and this one has. It listens where it is told and nowhere else, takes nothing
 * without a pass, and passes nothing on: what is not here is said to be not here, before anything is done.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import { readTextBody } from '../../core/sessions/http/http-io.ts';
import type { HttpListener } from '../../core/sessions/http/http-listener.ts';
import { oneOf } from '../../core/sessions/http/inbound.ts';
import { type InnerQuestions, questionPath } from './inner-questions.ts';
import { replicaHeader } from './reach.ts';
import { digestOf, type LineClaims, passedHeaders, passHeader, type PassReader } from './passes.ts';

/** What a line to a person's process is asked for as. Source: RFC 9110, 7.8. */
export const lineProtocol = 'tooltray-line';

/** Has the socket from then on, and what came on it after the request. */
export type TakeLine = (claims: LineClaims, socket: Duplex, head: Buffer) => void;

/** Nothing was done: the session is not here, or not any more. Source: RFC 9110, 15.5.20. */
export const notHere = 421;
/** Longer than whoever asks keeps a connection that is not in use (60 s, as we say it): it must not end as a request is on its way. */
const keptMs = 60_000;

export interface InnerDoorOptions {
  /** Id of this replica. */
  readonly replica: string;
  /** An address of this machine that other replicas reach, and nobody else should. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly passes: PassReader;
  /** Whose people may come. */
  readonly tenant: string;
  /** undefined: nothing is run for single people here. */
  readonly takeLine: () => TakeLine | undefined;
  /** Who answers what other replicas ask for people. */
  readonly questions: Pick<InnerQuestions, 'take'>;
  readonly listener: () => Pick<HttpListener, 'answerPassed' | 'hasSession' | 'sessionLeft'> | undefined;
  /** Whether a session that is not open yet is this replica's. */
  readonly isClaimed: (id: string) => boolean;
  readonly heard: (id: string) => void;
  readonly mostBytes: () => number;
  readonly log: Pick<Log, 'warn'>;
}

export class InnerDoor {
  readonly #options: InnerDoorOptions;
  readonly #server: Server;
  readonly #lines = new Set<Duplex>();

  constructor(options: InnerDoorOptions) {
    this.#options = options;
    this.#server = createServer(
      { keepAliveTimeout: keptMs },
      (request, response) => void this.#take(request, response),
    );
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#takeLine(request, socket, head),
    );
  }

  /** Resolves to `host:port`. Rejects with AppError port_in_use. */
  async start(): Promise<string> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) =>
        reject(
          new AppError('port_in_use', `The inner door cannot be opened at ${host}:${port}: ${cause.message}.`, {
            cause,
          }),
        ),
      );
      this.#server.listen(port, host, resolve);
    });
    const { address, port: taken, family } = this.#server.address() as AddressInfo;
    return `${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    // They are none of its connections any more.
    for (const line of this.#lines) line.destroy();
    await closed;
  }

  #takeLine(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { passes, tenant, takeLine } = this.#options;
    socket.on('error', () => socket.destroy());
    // Also who is refused, and does not hang up.
    this.#lines.add(socket);
    socket.once('close', () => this.#lines.delete(socket));
    const claims = passes.readLine(oneOf(request.headers[passHeader]));
    const isTheirs = claims?.person.tenant === tenant && request.headers.upgrade === lineProtocol;
    if (claims === undefined || !isTheirs) return hangUp(socket, '403 Forbidden');
    const take = takeLine();
    if (take === undefined) return hangUp(socket, '421 Misdirected Request');
    take(claims, socket, head);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { passes, tenant, listener, isClaimed, heard, mostBytes, log } = this.#options;
    try {
      if (request.url === questionPath) return await this.#takeQuestion(request, response);
      const passed = { method: request.method ?? '', headers: passedHeaders(request.headers) };
      const claims = passes.read(oneOf(request.headers[passHeader]), passed);
      if (claims?.person.tenant !== tenant) return void this.#refuse(response);
      const text = request.method === 'POST' ? await readTextBody(request, mostBytes()) : undefined;
      if (digestOf(text) !== claims.digest) return void this.#refuse(response);
      const doors = listener();
      const session = oneOf(request.headers['mcp-session-id']);
      // Whoever is told that it is not here asks the database next, which has to know.
      if (session !== undefined) await doors?.sessionLeft(session);
      if (doors === undefined || (session !== undefined && !doors.hasSession(session) && !isClaimed(session)))
        return void answer(response, notHere);
      if (session !== undefined) heard(session);
      await doors.answerPassed(request, response, claims.place, text);
    } catch (error) {
      log.warn(`What another replica passed on was not answered: ${errorText(error)}`);
      answer(response, 400);
    }
  }

  /** Who looks whether it answers sees which one it is. */
  #refuse(response: ServerResponse): void {
    response.setHeader(replicaHeader, this.#options.replica);
    answer(response, 403);
  }

  async #takeQuestion(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { passes, tenant, questions, mostBytes } = this.#options;
    const claims = passes.readQuestion(oneOf(request.headers[passHeader]));
    if (claims?.person.tenant !== tenant) return this.#refuse(response);
    const asked = await readTextBody(request, mostBytes());
    if (digestOf(asked) !== claims.digest) return this.#refuse(response);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const answered = await questions.take(claims, asked, gone.signal);
    if (answered === undefined) return answer(response, notHere);
    const { status, text } = answered;
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  }
}

function answer(response: ServerResponse, status: number): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-length': 0 }).end();
}

function hangUp(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
