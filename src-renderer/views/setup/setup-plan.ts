/** The first setup as one plan: apps to connect, servers to move, and the savings. Pure. */
import type {
  AppRow,
  ModesOverview,
  ImportableServer,
  OfferTest,
  SetupChoice,
} from '../../../src-main/rpc/contract.ts';
import { count } from '../../lib/format.ts';

/** What the user deselected; everything else is part of the plan. */
export interface PlanExclusions {
  /** IDs of apps. */
  readonly apps: ReadonlySet<string>;
  /** IDs of importable servers. */
  readonly servers: ReadonlySet<string>;
}

/** The apps of a plan: those that can be connected and are not. */
export function appsToConnect(apps: readonly AppRow[]): readonly AppRow[] {
  return apps.filter(({ installed, connected, problem }) => installed && connected !== 'yes' && problem === '');
}

/** Servers that have not been imported. */
export function newOffers(offers: readonly ImportableServer[]): readonly ImportableServer[] {
  return offers.filter(({ already }) => already === undefined);
}

/** Whether the first setup is shown as a plan: no app is connected, and there are servers to import. */
export function hasPlan(apps: readonly AppRow[], offered: number): boolean {
  return offered > 0 && !apps.some(({ connected }) => connected === 'yes') && appsToConnect(apps).length > 0;
}

/** Whether a server moves: it is selected, and an app that has it is connected, or no known app has it. */
export function moves(
  { id, apps: owners }: ImportableServer,
  apps: readonly AppRow[],
  { apps: offApps, servers: offServers }: PlanExclusions,
): boolean {
  if (offServers.has(id)) return false;
  return owners.length === 0 || apps.some((app) => owners.includes(app.id) && !offApps.has(app.id));
}

export function choiceOf(
  apps: readonly AppRow[],
  offers: readonly ImportableServer[],
  excluded: PlanExclusions,
): SetupChoice {
  return {
    apps: apps.flatMap(({ id }) => (excluded.apps.has(id) ? [] : [id])),
    servers: offers.filter((offer) => moves(offer, apps, excluded)).map(({ id, name }) => ({ id, name })),
  };
}

/** `Your 4 apps run 12 servers, 2 of them twice.` */
export function planHeadline(apps: readonly AppRow[], offers: readonly ImportableServer[]): string {
  const owners = new Set(offers.flatMap((offer) => offer.apps));
  const many = Math.max(1, apps.filter(({ id }) => owners.has(id)).length);
  const entries = offers.reduce((sum, offer) => sum + Math.max(1, offer.apps.length), 0);
  const repeated = offers.filter((offer) => offer.apps.length > 1);
  const duplicates = repeated.some((offer) => offer.apps.length > 2)
    ? `, ${entries - offers.length} of them duplicates`
    : `, ${repeated.length} of them twice`;
  const subject = many === 1 ? 'Your app runs' : `Your ${count(many, 'app')} run`;
  return `${subject} ${count(entries, 'server')}${repeated.length === 0 ? '' : duplicates}.`;
}

/**
 * Mode `auto` certainly uses search for lists of this size: shortened, to half at most, they exceed what 20 searches
 * cost.
 */
const minSearchTokens = 16_000;

/** Tokens of the tool lists now and through Tooltray; undefined while nothing was listed, or if nothing shrinks. */
export function shrinkOf(
  tests: readonly OfferTest[],
  modes: ModesOverview | undefined,
): { readonly before: number; readonly after: number } | undefined {
  const before = tests.reduce((sum, { listTokens }) => sum + listTokens, 0);
  const name = modes?.mode === 'auto' && before > minSearchTokens ? 'search' : modes?.mode;
  const after = modes?.modes.find((mode) => mode.name === name)?.tokens;
  // A mode that lists every tool costs what the lists cost now, whatever its figure for the servers imported so far.
  if (after === undefined || name === 'auto' || name === 'proxy' || after >= before) return undefined;
  return { before, after };
}

/** The last two segments of a path. */
export function shortFile(path: string): string {
  const parts = path.split(/[/\\]/);
  return parts.length <= 2 ? path : `…/${parts.slice(-2).join('/')}`;
}

export function isTested({ stage }: OfferTest): boolean {
  return stage === 'passed' || stage === 'failed';
}

/** `Tested 6 of 11 · 1 failed`. */
export function progressText(tests: readonly OfferTest[], offers: number): string {
  const failed = tests.filter(({ stage }) => stage === 'failed').length;
  const done = `Tested ${tests.filter(isTested).length} of ${offers}`;
  return failed === 0 ? done : `${done} · ${failed} failed`;
}

/** The stages of a test, in order. */
export const testStages = [
  { stage: 'downloading', words: 'Downloading' },
  { stage: 'starting', words: 'Starting' },
  { stage: 'listing', words: 'Listing tools' },
] as const;
