/**
 * Whose a request is, by the ids in it: a session's, a question's, a call's that goes on. What is another replica's is passed on to it
 * once; what was one's that is gone is taken over, or said to be gone where it is looked up.
 */
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { Person } from '../../core/security/owned-ids.ts';
import type { Asked } from '../../core/sessions/http/asked.ts';
import type { HttpListener } from '../../core/sessions/http/http-listener.ts';
import { oneOf } from '../../core/sessions/http/inbound.ts';
import { ParkedCalls } from '../../core/sessions/parked-calls.ts';
import { refusalOf, refuse } from '../../core/sessions/http/http-io.ts';
import { isRequest, type RpcRequest } from '../../core/wire/message.ts';
import type { PassOn } from './pass-on.ts';
import { byRendezvous } from './rendezvous.ts';
import type { ReplicaRegistry } from './replica-registry.ts';
import { idsIn, type SealedIds } from './sealed-ids.ts';
import type { SharedSessions } from './shared-sessions.ts';

interface RouterParts {
  readonly ids: SealedIds;
  readonly registry: ReplicaRegistry;
  readonly sessions: SharedSessions;
  readonly passOn: PassOn;
  readonly listener: () => Pick<HttpListener, 'hasSession' | 'sessionLeft'> | undefined;
  /** What a call sends is held against what calls before it read (`flow: ask`). */
  readonly remembersReading: () => boolean;
  readonly log: Pick<Log, 'warn'>;
}

/** Which read, or send. */
const reading: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

/** A program that a model wrote may name a call; what is longer is no program. */
const longestText = 1024 * 1024;
/** Sessions that changed hands, and who has them; the oldest are forgotten, and looked up again. */
const mostMoved = 10_000;
/** Between two looks, somebody else may have taken a session over. */
const mostTries = 3;

export class Router {
  readonly #parts: RouterParts;
  readonly #moved = new Map<string, string>();
  #isDraining = false;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  /** New sessions are opened elsewhere from now on, where there is another replica. */
  drain(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** As `Route`. */
  route(asked: Asked, person: Person): Promise<boolean> | undefined {
    const inbound = asked.body?.inbound;
    if (inbound?.kind === 'modern') return this.#ofRequest(inbound.request, asked, person);
    const session = oneOf(asked.request.headers['mcp-session-id']);
    if (session !== undefined) return this.#ofSession(session, asked, person);
    return this.#isDraining && opens(asked) ? this.#openElsewhere(asked, person) : undefined;
  }

  #ofSession(id: string, asked: Asked, person: Person): Promise<boolean> | undefined {
    const { ids, listener, sessions } = this.#parts;
    if (listener()?.hasSession(id) === true) {
      sessions.heard(id);
      return undefined;
    }
    const maker = ids.ownerOf('session', id, person);
    // Refused here, as one that never was.
    return maker === undefined ? undefined : this.#findSession(id, maker, asked, person);
  }

  async #findSession(id: string, maker: string, asked: Asked, person: Person): Promise<boolean> {
    const { registry, sessions, passOn } = this.#parts;
    const first = registry.find(this.#moved.get(id) ?? maker);
    if (first !== undefined && (await passOn.to(first, asked, person)) === 'answered') return true;
    try {
      await this.#parts.listener()?.sessionLeft(id);
      for (let tries = 0; tries < mostTries; tries++) {
        const holding = await sessions.claim(id, person);
        if (holding === undefined || holding.by === 'us') return false;
        const replica = registry.find(holding.replica) ?? (await this.#look(holding.replica));
        if (replica === undefined) continue;
        this.#move(id, replica.id);
        const passed = await passOn.to(replica, asked, person);
        if (passed === 'answered') return true;
        if (passed === 'not here') continue;
        break;
      }
      passOn.refuse(asked);
    } catch (error) {
      this.#parts.log.warn(`Whose a session is could not be found out: ${errorText(error)}`);
      refuse(asked.response, refusalOf(error));
    }
    return true;
  }

  /** What a request of 2026-07-28 names belongs to one replica; the first that is another's decides. */
  #ofRequest(request: RpcRequest, asked: Asked, person: Person): Promise<boolean> | undefined {
    const { ids, registry, remembersReading } = this.#parts;
    const named = namedIn(request, asked.body?.text ?? '');
    const makers = named.flatMap(([kind, id]) => ids.ownerOf(kind, id, person) ?? []);
    const other = makers.find((maker) => maker !== registry.id);
    if (other !== undefined) return this.#passTo(other, asked, person);
    if (makers.length > 0 || !remembersReading() || !reading.has(request.method)) return undefined;
    return this.#homeOf(asked, person) === registry.id ? undefined : this.#takeHome(asked, person);
  }

  /** Where it is remembered what this app's calls read: the same for all replicas that know of the same ones. */
  #homeOf({ place }: Asked, person: Person): string {
    const { registry } = this.#parts;
    const fronts = registry.lastingFronts.map((id) => ({ id }));
    return byRendezvous(fronts, person, place.person?.token ?? place.holder)[0]?.id ?? registry.id;
  }

  /** Nothing of it has run where nobody takes it. */
  async #takeHome(asked: Asked, person: Person): Promise<boolean> {
    const { registry, passOn } = this.#parts;
    for (let tries = 0; tries < mostTries; tries++) {
      const home = this.#homeOf(asked, person);
      const replica = registry.find(home);
      if (home === registry.id) return false;
      if (replica !== undefined && (await passOn.to(replica, asked, person)) === 'answered') return true;
      await registry.refresh();
    }
    passOn.refuse(asked);
    return true;
  }

  async #passTo(maker: string, asked: Asked, person: Person): Promise<boolean> {
    const { registry, passOn } = this.#parts;
    const replica = registry.find(maker) ?? (await this.#look(maker));
    // It is said where it is looked up that it is gone.
    if (replica === undefined) return false;
    const passed = await passOn.to(replica, asked, person);
    if (passed === 'answered') return true;
    await registry.refresh();
    if (!registry.isLive(maker)) return false;
    passOn.refuse(asked);
    return true;
  }

  async #openElsewhere(asked: Asked, person: Person): Promise<boolean> {
    const { registry, passOn } = this.#parts;
    const { another } = registry;
    return another !== undefined && (await passOn.to(another, asked, person)) === 'answered';
  }

  async #look(id: string): Promise<ReturnType<ReplicaRegistry['find']>> {
    const { registry } = this.#parts;
    await registry.refresh();
    return registry.find(id);
  }

  #move(id: string, replica: string): void {
    this.#moved.delete(id);
    this.#moved.set(id, replica);
    const [oldest] = this.#moved.keys();
    if (this.#moved.size > mostMoved && oldest !== undefined) this.#moved.delete(oldest);
  }
}

function opens({ body }: Asked): boolean {
  const first = body?.inbound.kind === 'legacy' ? body.inbound.messages[0] : undefined;
  return first !== undefined && isRequest(first) && first.method === 'initialize';
}

function namedIn({ method, params }: RpcRequest, text: string): readonly (readonly ['question' | 'call', string])[] {
  const question = ParkedCalls.idIn(params?.['requestState']);
  if (question !== undefined) return [['question', question]];
  const isNamed = method.startsWith('tasks/') || method === 'subscriptions/listen' || method === 'tools/call';
  if (!isNamed || text.length > longestText) return [];
  return idsIn(text).map((id) => ['call', id] as const);
}
