/** A ledger on a real database in its thread, with servers and apps defined by the test. */
import { allModes } from '../../../../src-main/compat/all-modes.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedServer } from '../../../../src-main/core/activity/ledger/baseline.ts';
import type { ClientRequest } from '../../../../src-main/core/activity/ledger/client-request.ts';
import type { ActivityLog, ActivityLogOptions } from '../../../../src-main/core/activity/activity-log.ts';
import { Ledger } from '../../../../src-main/core/activity/ledger/ledger.ts';
import type { LedgerSession } from '../../../../src-main/core/activity/ledger/ledger-session.ts';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import type { Result } from '../../../../src-main/core/wire/message.ts';
import { openActivity } from '../fixture.ts';

export interface OpenLedger extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly activity: ActivityLog;
  readonly file: string;
  /** The servers; a test may change them. */
  servers: readonly ListedServer[];
  /** Current time, ms since the epoch. */
  now: number;
}

/** `folder`: left by an earlier ledger. */
export function openLedger(options: Partial<ActivityLogOptions> = {}, folder?: string): OpenLedger {
  const home = folder ?? mkdtempSync(join(tmpdir(), 'ledger-'));
  const { activity, file, ...opened } = openActivity(home, options as Parameters<typeof openActivity>[1]);
  let lastId = 0;
  const ledger = new Ledger({
    activity,
    kindOf: allModes.kindOf,
    servers: () => open.servers,
    defersTools: (app) => app === 'deferring',
    hasModel: (app) => app !== 'by hand',
    acceptsResults: (app) => ({
      tokens: 128_000,
      bytes: app === 'cutting' ? 2000 : undefined,
      reads: app === 'structured' ? 'structured' : 'text',
    }),
    now: () => open.now,
    steps: { idAt: () => ++lastId, start: () => undefined, end: () => undefined },
  });
  const open: OpenLedger = {
    ledger,
    activity,
    file,
    servers: [],
    now: Date.parse('2026-11-21T12:00:00'),
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
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

/** A request and its result, with the calls that it made. */
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
