/**
 * Passes one request on to the replica that has what it names, and what comes of it back, piece by piece as it comes. Once: what may have
 * been run is not sent a second time, and whoever asked is told.
 */
import { Agent, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import { AppError } from '../../core/base/errors.ts';
import { isRequest, type Message, type RequestId } from '../../core/wire/message.ts';
import { toErrorBody } from '../../core/wire/peer.ts';
import type { Asked } from '../../core/sessions/http/asked.ts';
import { eventOf } from '../../core/sessions/http/event-stream.ts';
import { refusalOf, refuse, tryLater, writeJson } from '../../core/sessions/http/http-io.ts';
import type { Person } from '../../core/security/owned-ids.ts';
import { limitConnecting, placeOf } from './inner-address.ts';
import { notHere } from './inner-door.ts';
import { digestOf, passedHeaders, passHeader, signPass } from './passes.ts';
import { type Reach, replicaHeader } from './reach.ts';
import type { Seals } from './seals.ts';
import type { Replica } from './replica-registry.ts';

/** `unreached`: nobody took it. `not here`: it was refused before anything was done. Else it has its answer. */
export type PassedOn = 'answered' | 'unreached' | 'not here';

interface Sent {
  readonly replica: Replica;
  readonly asked: Asked;
  readonly method: string;
  readonly list: readonly string[];
}

const retrySeconds = 3;
const ascii = /^[\t -~]*$/;
/** Of its connection to us, not of the answer. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'upgrade',
  'proxy-authenticate',
  'trailer',
]);

export class PassOn {
  readonly #seals: Seals;
  readonly #now: () => number;
  readonly #reach: Pick<Reach, 'watch'>;
  // It closes what is not in use a second before the other side would, which says when that is.
  readonly #agent = new Agent({ keepAlive: true });
  #count = 0;

  constructor(seals: Seals, now: () => number, reach: Pick<Reach, 'watch'>) {
    this.#seals = seals;
    this.#now = now;
    this.#reach = reach;
  }

  /** Requests that were passed on. */
  get count(): number {
    return this.#count;
  }

  /** Never rejects. */
  async to(replica: Replica, asked: Asked, person: Person): Promise<PassedOn> {
    const { request, place, body } = asked;
    const method = request.method ?? 'GET';
    const headers = headersOf(asked);
    const claims = { to: replica.id, place, person, digest: digestOf(body?.text) };
    const pass = signPass(this.#seals, claims, { method, headers }, this.#now());
    const list = headerList(replica.address, { ...headers, [passHeader]: pass }, body?.text);
    const sent = { replica, asked, method, list };
    const how = await this.#send(sent, this.#agent);
    if (how === 'answered' || how === 'unreached' || how === 'not here') return how;
    // The pass counts once: where it was taken after all, it is refused now, and nothing is run again.
    const again = await this.#send(sent, false);
    if (again === 'answered' || again === 'not here') return again;
    lost(asked, false);
    return 'answered';
  }

  /** `hung up`: the connection was one of before, which ended as this went out. `not taken`: its pass had been used. */
  #send({ replica, asked, method, list }: Sent, agent: Agent | false): Promise<PassedOn | 'hung up' | 'not taken'> {
    const { response, body } = asked;
    const { promise, resolve } = Promise.withResolvers<PassedOn | 'hung up' | 'not taken'>();
    const upstream = send({ ...placeOf(replica.address), method, agent, headers: list });
    let isConnected = false;
    let isOver = false;
    // A connection of which nothing comes any more may stay open for hours.
    let isStalled = false;
    const unwatch = this.#reach.watch(replica.id, () => {
      isStalled = true;
      upstream.destroy(new Error('It does not answer any more.'));
    });
    const over = (how: PassedOn | 'hung up' | 'not taken'): void => {
      isOver = true;
      unwatch();
      response.off('close', leave);
      resolve(how);
    };
    // Whoever asked is gone: so is what they asked for, as far as it would be here.
    const leave = (): void => {
      if (isOver) return;
      upstream.destroy();
      over('answered');
    };
    response.once('close', leave);
    limitConnecting(upstream, () => (isConnected = true));
    upstream.once('error', () => {
      if (isOver) return;
      if (!isConnected) return over('unreached');
      if (upstream.reusedSocket && !isStalled) return over('hung up');
      lost(asked, false);
      over('answered');
    });
    upstream.once('response', (answer) => {
      const refused = answer.statusCode === notHere ? 'not here' : agent === false && notTaken(answer);
      if (refused !== false) {
        answer.resume();
        return over(refused);
      }
      this.#count++;
      passBack(answer, response);
      answer.once('end', () => {
        response.end();
        over('answered');
      });
      answer.once('error', () => {
        if (isOver) return;
        lost(asked, String(answer.headers['content-type']).startsWith('text/event-stream'));
        over('answered');
      });
    });
    // As a text it goes out in one piece with its headers, in UTF-8, which headers of other letters are not.
    const isAscii = list.every((text) => ascii.test(text));
    upstream.end(isAscii || body === undefined ? body?.text : Buffer.from(body.text));
    return promise;
  }

  /** Nobody is there who could be asked; nothing was done. */
  refuse({ response, body }: Asked): void {
    const why = new AppError(
      'store_unreachable',
      'The replica of Tooltray that has this does not answer at the moment; nothing was run.',
      {
        fix: 'Try again in a few seconds.',
      },
    );
    refuse(response, tryLater(503, why, retrySeconds, idsOf(body)[0] ?? null));
  }

  stop(): void {
    this.#agent.destroy();
  }
}

/** By the door itself, which says no to a pass that was used. */
function notTaken({ statusCode, headers }: IncomingMessage): 'not taken' | false {
  return statusCode === 403 && headers[replicaHeader] !== undefined && 'not taken';
}

/** As a list they are written as they are, not looked at one by one. They came through a parser of headers, or are ours. */
function headerList(host: string, headers: Readonly<Record<string, string>>, body: string | undefined): string[] {
  const list = ['host', host];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  if (body !== undefined) list.push('content-length', String(Buffer.byteLength(body)));
  return list;
}

/** In 2026-07-28 there are no sessions, whatever a header says. */
function headersOf({ request, body }: Asked): Record<string, string> {
  const { 'mcp-session-id': _session, ...others } = request.headers;
  return passedHeaders(body?.inbound.kind === 'modern' ? others : request.headers);
}

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  const headers: string[] = [];
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const [name, value] = [answer.rawHeaders[at] as string, answer.rawHeaders[at + 1] as string];
    if (!hopByHop.has(name.toLowerCase())) headers.push(name, value);
  }
  response.writeHead(answer.statusCode ?? 502, headers);
  // A stream begins before its first event; what has a length goes out in one piece with it.
  if (answer.headers['content-length'] === undefined) response.flushHeaders();
  const bytes = Number(answer.headers['content-length']);
  answer.on('data', (piece: Buffer) => {
    // All of it: as a text it goes out in one piece with its headers.
    if (piece.length === bytes) return void response.end(piece.toString('latin1'), 'latin1');
    if (response.write(piece)) return;
    answer.pause();
    response.once('drain', () => answer.resume());
  });
}

/** The other replica went away in the middle; of a stream, where it had begun one. */
function lost({ response, body }: Asked, isStream: boolean): void {
  const ids = idsOf(body);
  const why = new AppError(
    'call_failed',
    'The replica of Tooltray that had this was lost in the middle of it. It may have run, and was not run again.',
    {
      fix: 'Look whether it did its work before you ask for it anew.',
    },
  );
  if (!response.headersSent) {
    const answers = ids.map((id): Message => ({ jsonrpc: '2.0', id, error: toErrorBody(why) }));
    if (answers.length < 2) refuse(response, { ...refusalOf(why, ids[0] ?? null), status: 502 });
    else writeJson(response, 502, answers);
    return;
  }
  if (!isStream || ids.length === 0) return void response.destroy();
  // Ends an event that came in part: without its empty line it is none.
  response.write('\n\n');
  for (const id of ids)
    for (const piece of eventOf({ jsonrpc: '2.0', id, error: toErrorBody(why) })) response.write(piece);
  response.end();
}

/** Those that wait for an answer. */
function idsOf(body: Asked['body']): readonly RequestId[] {
  const inbound = body?.inbound;
  if (inbound?.kind === 'modern') return [inbound.request.id];
  return inbound?.kind === 'legacy' ? inbound.messages.filter(isRequest).map(({ id }) => id) : [];
}
