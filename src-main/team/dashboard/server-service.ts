/** An administrator's requests about one server on all replicas, and the retry that every replica carries out. */
import type { Sql } from 'postgres';
import { placementOf } from '../../core/edition.ts';
import { coreHandlers, type RpcDeps } from '../../rpc/edition.ts';
import type { RpcMethods, ServerStatus } from '../../rpc/contract.ts';
import type { TeamAdmin } from '../admin/team-admin.ts';
import { notifyChange } from '../database/change-feed.ts';
import { rethrowDatabaseError } from '../database/database.ts';
import type { Heartbeat } from '../replicas/heartbeat.ts';
import { statusByReplica } from './aggregate-status.ts';

export interface ServerServiceDeps {
  readonly sql: Sql;
  readonly heartbeat: Pick<Heartbeat, 'all'>;
  readonly admin: Pick<TeamAdmin, 'recordRetry'>;
}

/** Announces that every replica should reconnect this server. */
export const retryTopic = 'retry/';

/** Both methods reject with AppError: `server_not_found`, `store_unreachable`. */
export class ServerService {
  readonly #parts: ServerServiceDeps;

  constructor(parts: ServerServiceDeps) {
    this.#parts = parts;
  }

  status({ server }: RpcMethods['serverStatus']['input'], { servers }: RpcDeps): RpcMethods['serverStatus']['output'] {
    const { config } = servers.manager.get(server);
    const { placement, reason } = placementOf(config);
    return { ...statusByReplica(config.name, this.#parts.heartbeat.all), placement, reason };
  }

  /** Reconnects it here, and on every other replica where it is unhealthy. Returns its status on this replica. */
  async restart(input: RpcMethods['restart']['input'], deps: RpcDeps): Promise<ServerStatus> {
    const { admin, sql } = this.#parts;
    const { name } = deps.servers.manager.get(input.server).config;
    await notifyChange(sql, retryTopic + name).catch(rethrowDatabaseError);
    await admin.recordRetry(name);
    return coreHandlers.restart(input, deps);
  }
}
