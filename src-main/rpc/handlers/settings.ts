/** Dashboard requests that change settings. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { dirname } from 'node:path';
import { AppError } from '../../core/base/errors.ts';
import type { SavingsReport } from '../../core/activity/ledger/ledger-table.ts';
import { appTraits, displayNameOf } from '../../core/client-apps/app-traits.ts';
import { requireMode } from '../../core/modes/mode-registry.ts';
import type { AppSettings, PricedSavings, SavingsPrice } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { configuredMode, modeCards } from '../state/modes-overview.ts';

export const settingsHandlers = {
  setMode: async ({ mode }, { servers }) => {
    requireMode(mode);
    await servers.edits.set('mode', mode);
    return {};
  },
  appSettings: ({ app }, { context, calls }) => Promise.resolve(appSettings(app, { context, calls })),
  setAppSettings: async ({ app, mode, threshold }, { context, servers }) => {
    if (typeof mode === 'string') requireMode(mode);
    if (mode !== undefined) await servers.edits.merge('appModes', { [app]: mode });
    if (threshold !== undefined) {
      const { appThresholds } = context.config.current.results;
      const others = Object.entries(appThresholds).filter(([name]) => name !== app);
      const next = threshold === null ? others : [...others, [app, threshold] as const];
      await servers.edits.merge('results', { appThresholds: next.length === 0 ? null : Object.fromEntries(next) });
    }
    return {};
  },
  setSettings: async ({ results, pricePerMillion, dataFlow, ...desktop }, deps) => {
    const { edits } = deps.servers;
    if (results !== undefined) await edits.merge('results', results);
    if (pricePerMillion !== undefined) await edits.merge('price', { perMillionTokens: pricePerMillion });
    if (dataFlow !== undefined) await edits.merge('dataFlow', { mode: dataFlow });
    if (Object.keys(desktop).length > 0) await requireDesktop(deps).change(desktop);
    return {};
  },
  restoreConfig: async (_, { context }) => {
    await context.config.restore();
    return {};
  },
  reveal: async ({ what, id }, deps) => {
    requireDesktop(deps).reveal(pathOf(what, id, deps));
    return {};
  },
} satisfies Handlers;

function appSettings(app: string, { context, calls }: Pick<CoreGroups, 'context' | 'calls'>): AppSettings {
  const { appModes, results } = context.config.current;
  const { inlineBytes, followsLists } = appTraits(app);
  const own = <T>(record: Readonly<Record<string, T>>): T | undefined =>
    Object.hasOwn(record, app) ? record[app] : undefined;
  return {
    appName: displayNameOf(app),
    mode: own(appModes),
    defaultMode: configuredMode({ context }),
    modes: modeCards({ context, calls }, app),
    threshold: own(results.appThresholds),
    defaultThreshold: results.threshold ?? inlineBytes,
    followsLists,
  };
}

function pathOf(what: 'config' | 'logs' | 'spill', id: string | undefined, { context, calls }: RpcDeps): string {
  if (what === 'config') return context.config.path;
  if (what === 'logs') return dirname(context.paths.logDir);
  const spill = id === undefined ? undefined : calls.spills.recall(id);
  if (spill !== undefined) return spill.file;
  throw new AppError('not_found', 'There is no such answer on disk.');
}

function requireDesktop({ desktop }: RpcDeps): NonNullable<RpcDeps['desktop']> {
  if (desktop !== undefined) return desktop;
  throw new AppError('unsupported', 'Only the desktop app can do that.', {
    fix: 'Tooltray runs as "tooltray serve" here; use the command line or your file manager.',
  });
}

/** The savings ledger for users, priced if they have set a price. */
export const savingsHandlers = {
  savings: async (question, { context, activity }): Promise<PricedSavings> => {
    return priced(await activity.ledger.savings(question), { context });
  },
} satisfies Handlers;

export function priced(report: SavingsReport, { context }: Pick<CoreGroups, 'context'>): PricedSavings {
  const price = priceOf(report.total.net, { context });
  return { ...report, ...(price !== undefined && { price }) };
}

function priceOf(tokens: number, { context }: Pick<CoreGroups, 'context'>): SavingsPrice | undefined {
  const { perMillionTokens, currency } = context.config.current.price;
  if (perMillionTokens === undefined) return undefined;
  return { perMillionTokens, currency, net: (tokens * perMillionTokens) / 1_000_000 };
}
