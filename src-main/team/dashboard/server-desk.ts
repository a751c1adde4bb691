/** What an admin asks about one server over all replicas, and the one press that mends it wherever it is ill. */
import { AppError } from '../../core/base/errors.ts';
import { placementOf } from '../../core/config/placement.ts';
import type { RpcMethods, ServerStatus } from '../../rpc/contract.ts';
import type { AllHandlers, RpcDeps } from '../../rpc/deps.ts';
import { commandLineHandlers } from '../../rpc/handlers/command-line.ts';
import { serverHandlers } from '../../rpc/handlers/servers.ts';
import { objectOf, textOr } from '../../core/base/json.ts';
import type { AnswerQuestion } from '../replicas/inner-questions.ts';
import type { OpenReplicas } from '../replicas/open-replicas.ts';
import type { SharedStandings } from '../replicas/shared-standings.ts';
import { standingOf } from './over-replicas.ts';
import type { Viewer } from './viewer.ts';

export interface ServerDeskParts {
  /** There as soon as somebody asks, as the core is. */
  readonly standings: () => SharedStandings;
  /** undefined: it is the only one. */
  readonly replicas: Pick<OpenReplicas, 'registry' | 'questions'> | undefined;
}

type Asked = 'serverDetail' | 'log' | 'retry';
const here: Pick<AllHandlers, Asked> = {
  serverDetail: serverHandlers.serverDetail,
  log: commandLineHandlers.log,
  retry: commandLineHandlers.retry,
};

/** Of questions between replicas. */
export const serverQuestion = 'server';

/** Answers what another replica asks of this one, for a page of an admin's. */
export function answerOfServer(deps: () => RpcDeps): AnswerQuestion {
  return async ({ method, input }, _person, signal) => {
    const asked = textOr(method);
    if (!Object.hasOwn(here, asked)) throw new AppError('unsupported', 'Replicas do not ask each other this.');
    const answer = here[asked as Asked] as (...given: unknown[]) => Promise<object>;
    return answer(objectOf(input), deps(), signal);
  };
}

/** All reject with AppError: not_found where the replica is gone, server_not_found, store_unreachable. */
export class ServerDesk {
  readonly #parts: ServerDeskParts;
  readonly #viewer: Viewer;

  constructor(parts: ServerDeskParts, viewer: Viewer) {
    this.#parts = parts;
    this.#viewer = viewer;
  }

  async standing(
    { server }: RpcMethods['serverStanding']['input'],
    { core }: RpcDeps,
  ): Promise<RpcMethods['serverStanding']['output']> {
    const { config } = core.servers.get(server);
    const { placement, reason } = placementOf(config);
    const standings = this.#parts.standings();
    const [rows, runners] = [await standings.rows(), await standings.runners()];
    return { ...standingOf(config.name, { fronts: standings.fronts, rows, runners }), placement, reason };
  }

  /** Of the replica that is named, else of this one. */
  async ask<M extends Asked>(
    method: M,
    { replica, ...input }: RpcMethods[M]['input'],
    deps: RpcDeps,
    signal: AbortSignal,
  ): Promise<RpcMethods[M]['output']> {
    const { replicas } = this.#parts;
    if (replica === undefined || replica === replicas?.registry.id) {
      const answer = here[method] as (...asked: unknown[]) => Promise<RpcMethods[M]['output']>;
      return answer(input, deps, signal);
    }
    if (replicas?.registry.find(replica) === undefined) await replicas?.registry.refresh();
    const found = replicas?.registry.find(replica);
    const { tenant, user } = this.#viewer;
    if (replicas === undefined || found?.tenant !== tenant)
      throw new AppError('not_found', 'This replica is not there any more.', { fix: 'Choose another one.' });
    const asked = replicas.questions.ask(found, serverQuestion, { method, input }, { tenant, user }, signal);
    return (await asked) as unknown as RpcMethods[M]['output'];
  }

  /** Wherever it is ill, where none is named; this replica alone where it is ill nowhere. Answers how it is here then, or at the first. */
  async retry(
    { server, replica }: RpcMethods['retry']['input'],
    deps: RpcDeps,
    signal: AbortSignal,
  ): Promise<ServerStatus> {
    const again = (where: string | undefined): Promise<ServerStatus> =>
      this.ask('retry', { server, ...(where !== undefined && { replica: where }) }, deps, signal);
    if (replica !== undefined) return again(replica);
    const { name } = deps.core.servers.get(server).config;
    const rows = await this.#parts.standings().rows();
    const ill = rows.filter((row) => row.server === name && (row.level === 'error' || row.level === 'attention'));
    if (ill.length === 0) return again(undefined);
    const [first] = await Promise.all(ill.map((row) => again(row.replica)));
    return first ?? again(undefined);
  }
}
