/** Lets a request of a team's client app in by its token, or says how to get one. Source: MCP 2025-11-25 and 2026-07-28, basic/authorization. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../core/base/errors.ts';
import { type Refusal, refusal, refusalOf, tryLater } from '../../core/sessions/http/http-io.ts';
import type { Entry } from '../../core/sessions/http/http-listener.ts';
import { rpcCode } from '../../core/wire/message.ts';
import { type Known, markOf, type PeopleGate, type Refused } from '../people/people-gate.ts';
import type { Proxies } from './proxies.ts';

interface LetInParts {
  readonly tenant: string;
  readonly gate: Pick<PeopleGate, 'judge'>;
  readonly proxies: Proxies;
  /** Of `WWW-Authenticate`, beside the error: where a client finds who gives tokens. */
  readonly challenge: Readonly<Record<string, string>>;
}

const retrySeconds = 5;

/** Never rejects. */
export function letInBy({ tenant, gate, proxies, challenge }: LetInParts) {
  return async (request: IncomingMessage): Promise<Entry | Refusal> => {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined) return needed(challenge);
    try {
      const judged = await gate.judge(given, proxies.asker(request).address);
      return 'user' in judged ? entryOf(tenant, judged) : refusalFor(judged, challenge);
    } catch (error) {
      if (error instanceof AppError && error.code === 'store_unreachable') return tryLater(503, error, retrySeconds);
      return refusalOf(error);
    }
  };
}

/** Of a runner, which is there for the processes of single people alone. */
export function refuseClients(): Promise<Refusal> {
  const why = 'This replica is a runner and takes no client apps: ask one with the role front or all.';
  return Promise.resolve(refusal(421, rpcCode.aborted, why));
}

/** Another `holder` for whoever sees something else. */
function entryOf(tenant: string, known: Known): Entry {
  const { user, token } = known;
  const bounds = [...new Set([...known.ownBounds, ...known.groupBounds])].sort();
  const person = { tenant, user, token, bounds };
  return { holder: `person ${JSON.stringify([tenant, user, token, bounds])}`, token: markOf(known), person };
}

function refusalFor(refused: Refused, challenge: LetInParts['challenge']): Refusal {
  switch (refused.why) {
    case 'unknown':
      return {
        ...refusal(401, rpcCode.aborted, 'This token opens nothing. Take another one, or sign in again.'),
        headers: ['www-authenticate', bearer({ error: 'invalid_token', ...challenge })],
      };
    case 'scope':
      return {
        ...refusal(403, rpcCode.aborted, `This token lacks rights: ${refused.needed}.`),
        headers: ['www-authenticate', bearer({ error: 'insufficient_scope', ...challenge, scope: refused.needed })],
      };
    case 'too often': {
      const why = new AppError('session_limit', 'Too many tokens from your address opened nothing.', {
        fix: 'Wait a minute.',
      });
      return tryLater(429, why, refused.seconds);
    }
  }
}

/** No error: nothing was given (RFC 6750, 3.1). */
function needed(challenge: LetInParts['challenge']): Refusal {
  return {
    ...refusal(401, rpcCode.aborted, 'A token is needed: Authorization: Bearer <token>.'),
    headers: ['www-authenticate', bearer(challenge)],
  };
}

function bearer(params: Readonly<Record<string, string>>): string {
  const words = Object.entries({ realm: 'tooltray', ...params }).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${words.join(', ')}`;
}
