/** Calls whose results go through the pipeline's stage `shape`, into a real store and back. */
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { CallRequest, CallerContext } from '../../../src-main/core/calls/call-tool.ts';
import { ResultShaper } from '../../../src-main/core/calls/shape-result.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import type { CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import type { ResultSettings } from '../../../src-main/core/config/app-config.ts';
import { ResultMeasurer } from '../../../src-main/core/spills/result-measurer.ts';
import { SpillAccess, SpillReader } from '../../../src-main/core/spills/spill-reader.ts';
import type { SpillFiles } from '../../../src-main/core/spills/spill-queries.ts';
import type { Result } from '../../../src-main/core/wire/message.ts';
import type { TestContext } from '../../core/modes/helper-context.ts';
import { openStore, type OpenStore } from '../../core/spills/spill-fixture.ts';
import { dispatchContext } from './dispatch-context.ts';
import { callerOf } from '../../support/caller-of.ts';

export class ShapedCalls implements AsyncDisposable {
  /** As visible to the caller. */
  readonly files: SpillFiles;
  readonly spills: OpenStore;
  readonly #reader = new SpillReader();
  readonly #measurer = new ResultMeasurer();
  readonly #shaper: ResultShaper;
  readonly #log;

  constructor(spills: OpenStore) {
    this.spills = spills;
    this.files = new SpillAccess(spills.store, this.#reader).forCaller(caller.principal);
    this.#log = createLog({ file: `${spills.home}/shape.log` });
    this.#shaper = new ResultShaper({
      keep: (result, origin, kind, sent) => spills.store.spill(result, origin, kind, sent),
      measurer: this.#measurer,
      settings: () => spills.settings,
      inlineBytes: () => 0,
      readHint: () => (id) => [`Read on: ${id}`],
      log: this.#log,
    });
  }

  static async start(settings: Partial<ResultSettings> = {}): Promise<ShapedCalls> {
    return new ShapedCalls(await openStore(settings));
  }

  /** The context of a helper tool in which every tool returns this result. */
  context(servers: readonly CatalogServer[], answer: (request: CallRequest) => Result): TestContext {
    const context = dispatchContext(servers, { spillFiles: this.files });
    const callTool = async (request: CallRequest): Promise<Result> => {
      context.calls.push(request);
      const entry = context.catalog.tools.find(({ id }) => id === request.tool);
      if (entry === undefined) throw new Error(`There is no ${request.tool}.`);
      return (await this.#shaper.shape(answer(request), entry, request, caller)).result;
    };
    return { ...context, callTool };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.close();
    await this.#measurer.close();
    this.#log.close();
    await this.spills[Symbol.asyncDispose]();
  }
}

const caller: CallerContext = {
  app: 'test',
  mode: 'dispatch',
  principal: callerOf('test'),
  sessionId: 'test',
  clientInfo: {},
  clientCapabilities: {},
  signal: new AbortController().signal,
  onLog: () => undefined,
  askClient: () => Promise.resolve({} satisfies JsonObject),
  acceptsInputRequired: false,
};
