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
  setAppSettings: async ({ app, mode, threshold, servers: shown }, { context, servers }) => {
    if (typeof mode === 'string') requireMode(mode);
    if (mode !== undefined) await servers.edits.merge('appModes', { [app]: mode });
    if (threshold !== undefined) {
      const { appThresholds } = context.config.current.results;
      const others = Object.entries(appThresholds).filter(([name]) => name !== app);
      const next = threshold === null ? others : [...others, [app, threshold] as const];
      await servers.edits.merge('results', { appThresholds: next.length === 0 ? null : Object.fromEntries(next) });
    }
    if (shown !== undefined) await setAppServers(app, shown, { context, servers });
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
  const { appModes, appProfiles, profiles, results } = context.config.current;
  const { inlineBytes, followsLists } = appTraits(app);
  const own = <T>(record: Readonly<Record<string, T>>, key: string | undefined = app): T | undefined =>
    Object.hasOwn(record, key) ? record[key] : undefined;
  const profile = own(appProfiles);
  return {
    appName: displayNameOf(app),
    mode: own(appModes),
    defaultMode: configuredMode({ context }),
    modes: modeCards({ context, calls }, app),
    threshold: own(results.appThresholds),
    defaultThreshold: results.threshold ?? inlineBytes,
    refetchesLists: followsLists,
    servers: profile === undefined ? undefined : own(profiles, profile)?.servers,
  };
}

/**
 * Stores one app's servers as a profile. A profile shared with other apps stays unchanged: the app gets a copy of its
 * other rules. A profile without restrictions is removed.
 */
async function setAppServers(
  app: string,
  shown: readonly string[] | null,
  { context, servers: { edits } }: Pick<CoreGroups, 'context' | 'servers'>,
): Promise<void> {
  const { appProfiles, profiles } = context.config.current;
  const held = Object.hasOwn(appProfiles, app) ? appProfiles[app] : undefined;
  const isShared = Object.entries(appProfiles).some(([other, name]) => other !== app && name === held);
  const name = held === undefined || isShared ? freeProfileName(app, profiles) : held;
  const { servers: _before, ...rules } = (held === undefined ? undefined : profiles[held]) ?? {};
  if (shown === null && Object.keys(rules).length === 0) {
    await edits.merge('appProfiles', { [app]: null });
    const { [held ?? '']: _own, ...others } = profiles;
    if (held !== undefined && !isShared)
      await edits.set('profiles', Object.keys(others).length === 0 ? undefined : others);
    return;
  }
  // Written as a whole: another product's config may define profiles as a list.
  await edits.set('profiles', { ...profiles, [name]: { ...rules, ...(shown !== null && { servers: shown }) } });
  await edits.merge('appProfiles', { [app]: name });
}

function freeProfileName(app: string, profiles: Readonly<Record<string, unknown>>): string {
  const wanted = app.replace(/[^\w.-]+/g, '-').slice(0, 50) || 'app';
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!Object.hasOwn(profiles, name)) return name;
  }
}

function pathOf(what: 'config' | 'logs' | 'spill', id: string | undefined, { context, calls }: RpcDeps): string {
  if (what === 'config') return context.config.path;
  if (what === 'logs') return dirname(context.paths.logDir);
  const spill = id === undefined ? undefined : calls.spills.recall(id);
  if (spill !== undefined) return spill.file;
  throw new AppError('not_found', 'Result not found.');
}

function requireDesktop({ desktop }: RpcDeps): NonNullable<RpcDeps['desktop']> {
  if (desktop !== undefined) return desktop;
  throw new AppError('unsupported', 'This is available only in the desktop app.', {
    fix: 'Tooltray is running as "tooltray serve". Use the command line or your file manager.',
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
