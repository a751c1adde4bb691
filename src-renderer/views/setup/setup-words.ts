/** What the setup says about apps and steps, in words. Pure. */
import type { AppRow, HealthLevel, ServerRow, SetupFacts } from '../../../src-main/rpc/contract.ts';
import type { View } from '../../lib/addresses.ts';
import { count } from '../../lib/format.ts';

export const steps = ['apps', 'servers', 'first-call'] as const;
export type Step = (typeof steps)[number];

export interface NextStep {
  /** After `Next:`. */
  readonly words: string;
  /** The view, and what comes after it in the address. */
  readonly place: readonly [View, ...string[]];
}

const stepNames: Readonly<Record<Step, string>> = { apps: 'Apps', servers: 'Servers', 'first-call': 'First call' };

/** Which steps a user has done. */
export function stepsDone(setup: SetupFacts, servers: readonly ServerRow[]): Readonly<Record<Step, boolean>> {
  return {
    apps: setup.apps.some(({ connected }) => connected === 'yes'),
    servers: servers.some(({ transport }) => transport !== 'builtin'),
    'first-call': setup.firstCall !== undefined,
  };
}

/** The step that a user who comes without a wish is shown. */
export function stepToShow(requested: string | undefined, done: Readonly<Record<Step, boolean>> | undefined): Step {
  return steps.find((step) => step === requested) ?? steps.find((step) => done?.[step] === false) ?? 'apps';
}

export function stepLabel(step: Step, done: Readonly<Record<Step, boolean>> | undefined): string {
  return done?.[step] === true ? `${stepNames[step]} ✓` : stepNames[step];
}

/** Those that need something first, then those that could be connected, then those that are. */
export function sortApps(apps: readonly AppRow[]): readonly AppRow[] {
  const rank = ({ installed, connected, problem }: AppRow): number => {
    if (!installed) return 4;
    if (connected === 'stale') return 0;
    if (connected === 'yes') return 3;
    return problem === '' ? 1 : 2;
  };
  return apps.toSorted((a, b) => rank(a) - rank(b));
}

/** How it stands with an app: a mark and a few words. */
export function appMark({ installed, connected, problem, revoked }: AppRow): { level: HealthLevel; word: string } {
  if (!installed) return { level: 'off', word: 'Not installed' };
  if (revoked) return { level: 'off', word: 'Access revoked' };
  if (connected === 'stale') return { level: 'attention', word: 'Reconnect needed' };
  if (connected === 'yes') return { level: 'ok', word: 'Connected' };
  return problem === '' ? { level: 'off', word: 'Not connected' } : { level: 'attention', word: 'Config not readable' };
}

/** `running · 3 servers of its own`. */
export function appFacts({ running, servers }: Pick<AppRow, 'running' | 'servers'>): string {
  return [
    ...(running ? ['running'] : []),
    servers === 0 ? 'no other servers' : `${count(servers, 'other server')}`,
  ].join(' · ');
}

/** What is left to do after an import, and where: what came and is ill first, then an app to use it, then a call. */
export function nextStep(setup: SetupFacts, came: readonly ServerRow[]): NextStep {
  const ill = came.find(({ level }) => level === 'error' || level === 'attention');
  if (ill !== undefined) return { words: `fix ${ill.name}`, place: ['servers', ill.name] };
  if (!setup.apps.some(({ connected }) => connected === 'yes'))
    return { words: 'connect an app', place: ['setup', 'apps'] };
  if (setup.firstCall === undefined) return { words: 'make a test call', place: ['setup', 'first-call'] };
  return { words: 'view your servers', place: ['servers'] };
}

/** Something to say to an assistant that makes it call a tool without changing anything. */
export function firstPrompt(servers: readonly ServerRow[]): string {
  const [best] = servers
    .filter(({ transport, level, tools }) => transport !== 'builtin' && level === 'ok' && tools > 0)
    .toSorted((a, b) => b.tools - a.tools);
  if (best === undefined) return 'Use Tooltray to tell me what time it is in Tokyo.';
  return `Use Tooltray to list the tools of ${best.name}, then call a read-only one.`;
}
