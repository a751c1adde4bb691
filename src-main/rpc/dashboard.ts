/** The server side of the dashboard and the tray: published state and request handlers, over HTTP or directly. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../core/base/errors.ts';
import type { SpillFile } from '../core/spills/spill-store.ts';
import { dispatchRpc } from './dispatch-rpc.ts';
import { stateBuilders, stateSource } from './build-state.ts';
import { handleDashboardRequest, type DashboardRoutesOptions } from './dashboard-routes.ts';
import type { RpcDeps } from './deps.ts';
import type { FrameDocument } from './view-frames.ts';
import { StatePublisher } from './state-publisher.ts';

export class Dashboard {
  readonly publisher: StatePublisher;
  readonly #deps: RpcDeps;

  constructor(deps: RpcDeps) {
    this.#deps = deps;
    const log = deps.context.log.child('dashboard');
    this.publisher = new StatePublisher(stateBuilders(deps), stateSource(deps), (slice, error) =>
      log.warn(`Could not publish the state slice "${slice}".`, { error }),
    );
  }

  /** Rejects as `answerRpc` does. */
  request(method: string, input: unknown, signal: AbortSignal): Promise<Record<string, unknown>> {
    return dispatchRpc(method, input, this.#deps, signal);
  }

  /** Over HTTP; returns false if the path does not belong to the dashboard. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    page: Pick<DashboardRoutesOptions, 'root' | 'key' | 'signatures'>,
  ): Promise<boolean> {
    return handleDashboardRequest(request, response, {
      ...page,
      publisher: this.publisher,
      ask: (method, input, signal) => this.request(method, input, signal),
      spillFile: (id) => this.spillFile(id),
      viewFrame: (path) => this.viewFrame(path),
    });
  }

  /** The frame document at a URL issued earlier; once. */
  viewFrame(path: string): FrameDocument | undefined {
    return this.#deps.views?.take(path);
  }

  /** Rejects with AppError `not_found`. */
  async spillFile(id: string): Promise<SpillFile> {
    const found = await this.#deps.calls.spills.fileOf(id);
    if (found === undefined) throw new AppError('not_found', 'This result is no longer stored.');
    return found;
  }
}
