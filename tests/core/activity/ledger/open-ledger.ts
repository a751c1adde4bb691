/** A ledger on a real database and the real tokenizer (in the test's own thread), with servers and apps made up by the test. */
import { allModes } from '../../../../src-main/compat/all-modes.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActivityDatabase } from '../../../../src-main/core/activity/activity-database.ts';
import type { ListedServer } from '../../../../src-main/core/activity/ledger/baseline.ts';
import type { ClientRequest } from '../../../../src-main/core/activity/ledger/client-request.ts';
import { Ledger, type LedgerOptions } from '../../../../src-main/core/activity/ledger/ledger.ts';
import type { LedgerSession } from '../../../../src-main/core/activity/ledger/ledger-session.ts';
import { countTokens } from '../../../../src-main/core/activity/token-worker.ts';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import { createLog } from '../../../../src-main/core/base/log.ts';
import { Masker } from '../../../../src-main/core/base/mask.ts';
import { DeferredQueue } from '../../../../src-main/core/base/scheduling/deferred-queue.ts';
import type { Result } from '../../../../src-main/core/wire/message.ts';

const tokenCounter = {
  count: (text: string) => Promise.resolve({ tokens: countTokens(text), estimated: false }),
};

export interface OpenLedger extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly store: ReturnType<typeof createActivityDatabase>;
  readonly folder: string;
  /** The servers there are; a test may change them. */
  servers: readonly ListedServer[];
  /** The current time, ms since the epoch. */
  now: number;
}

/** @param folder Folder of an earlier ledger. */
export function openLedger(options: Partial<LedgerOptions> = {}, folder?: string): OpenLedger {
  const home = folder ?? mkdtempSync(join(tmpdir(), 'ledger-'));
  const masker = new Masker();
  const log = createLog({ file: join(home, 'core.log'), masker });
  const store = createActivityDatabase(join(home, 'activity.db'), 50_000_000, log);
  const ledger = new Ledger({
    kindOf: allModes.kindOf,
    store,
    maxBytes: 50_000_000,
    masker,
    log,
    tokenCounter,
    servers: () => open.servers,
    defersTools: (app) => app === 'deferring',
    hasModel: (app) => app !== 'by hand',
    acceptsResults: (app) => ({
      tokens: 128_000,
      bytes: app === 'cutting' ? 2000 : undefined,
      reads: app === 'structured' ? 'structured' : 'text',
    }),
    now: () => open.now,
    steps: { idAt: (at) => at, start: () => undefined, end: () => undefined, addTokens: () => undefined },
    putOff: new DeferredQueue(),
    ...options,
  });
  const open: OpenLedger = {
    ledger,
    store,
    folder: home,
    servers: [],
    now: Date.parse('2026-11-21T12:00:00'),
    [Symbol.asyncDispose]: async () => {
      await ledger.close();
      store.close();
      log.close();
      if (folder === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
  return open;
}

export function session(
  ledger: Ledger,
  { id = 's1', app = 'test-app', mode = 'search', client = '' } = {},
): LedgerSession {
  return ledger.open({ id, who: () => ({ app, mode, client }) });
}

/** A request and its result, with the calls that ran for it. */
export function exchange(
  line: LedgerSession,
  method: string,
  params: JsonObject,
  result: Result,
  calls: readonly Parameters<ClientRequest['addCall']>[0][] = [],
): ClientRequest {
  const asked = line.onRequest(method, params);
  for (const call of calls) asked.addCall(call);
  line.onSent({ jsonrpc: '2.0', id: 1, result }, asked);
  return asked;
}

export function server(name: string, tools: readonly JsonObject[], instructions?: string): ListedServer {
  return { name, listing: { tools, resources: [], resourceTemplates: [], prompts: [] }, instructions };
}
