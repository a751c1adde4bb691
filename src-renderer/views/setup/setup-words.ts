/** Descriptions of apps and steps in the setup. Pure. */
import type { AppRow, HealthLevel, ServerRow, SetupFacts } from '../../../src-main/rpc/contract.ts';
import type { View } from '../../lib/addresses.ts';
import { count } from '../../lib/format.ts';

export const steps = ['apps', 'servers', 'first-call'] as const;
export type Step = (typeof steps)[number];

export interface NextStep {
  /** Shown after `Next:`. */
  readonly words: string;
  /** The view, and the rest of its path. */
  readonly place: readonly [View, ...string[]];
}

const stepNames: Readonly<Record<Step, string>> = { apps: 'Apps', servers: 'Servers', 'first-call': 'First call' };

/** Completed steps. */
export function stepsDone(setup: SetupFacts, servers: readonly ServerRow[]): Readonly<Record<Step, boolean>> {
  return {
    apps: setup.apps.some(({ connected }) => connected === 'yes'),
    servers: servers.some(({ transport }) => transport !== 'builtin'),
    'first-call': setup.firstCall !== undefined,
  };
}

/** The step shown by default. */
export function stepToShow(requested: string | undefined, done: Readonly<Record<Step, boolean>> | undefined): Step {
  return steps.find((step) => step === requested) ?? steps.find((step) => done?.[step] === false) ?? 'apps';
}

export function stepLabel(step: Step, done: Readonly<Record<Step, boolean>> | undefined): string {
  return done?.[step] === true ? `${stepNames[step]} ✓` : stepNames[step];
}

/** Apps with problems first, then those that can be connected, then connected ones. */
export function sortApps(apps: readonly AppRow[]): readonly AppRow[] {
  const rank = ({ installed, connected, problem }: AppRow): number => {
    if (!installed) return 4;
    if (connected === 'stale') return 0;
    if (connected === 'yes') return 3;
    return problem === '' ? 1 : 2;
  };
  return apps.toSorted((a, b) => rank(a) - rank(b));
}

/** The state of an app: a mark and a few words. */
export function appMark({ installed, connected, problem, revoked, outOfStep }: AppRow): {
  level: HealthLevel;
  word: string;
} {
  if (!installed) return { level: 'off', word: 'Not installed' };
  if (revoked) return { level: 'off', word: 'Access revoked' };
  if (connected === 'stale')
    return { level: 'attention', word: outOfStep === undefined ? 'Reconnect needed' : 'Servers changed' };
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

/** What remains to be done after an import, and where: first unhealthy servers, then connecting an app, then a call. */
export function nextStep(setup: SetupFacts, came: readonly ServerRow[]): NextStep {
  const ill = came.find(({ level }) => level === 'error' || level === 'attention');
  if (ill !== undefined) return { words: `fix ${ill.name}`, place: ['servers', ill.name] };
  if (!setup.apps.some(({ connected }) => connected === 'yes'))
    return { words: 'connect an app', place: ['setup', 'apps'] };
  if (setup.firstCall === undefined) return { words: 'make a test call', place: ['setup', 'first-call'] };
  return { words: 'view your servers', place: ['servers'] };
}

/** A prompt that makes an assistant call a tool without changing anything. */
export function firstPrompt(servers: readonly ServerRow[]): string {
  const [best] = servers
    .filter(({ transport, level, tools }) => transport !== 'builtin' && level === 'ok' && tools > 0)
    .toSorted((a, b) => b.tools - a.tools);
  if (best === undefined) return 'Use Tooltray to tell me what time it is in Tokyo.';
  return `Use Tooltray to list the tools of ${best.name}, then call a read-only one.`;
}
