/**
 * The tray's menu, built from the state: status at a glance and the available actions. Pure; `app-tray.ts` shows it.
 */
import { formatCount, pluralize } from '../core/base/text-format.ts';
import type { AppState, AttentionAction, AttentionItem } from '../rpc/contract.ts';
import type { FoundUpdate } from './updates.ts';

/** Action of a menu item. */
export type TrayAction =
  | { readonly kind: 'open'; readonly place: string }
  | { readonly kind: 'fix'; readonly item: AttentionItem }
  | { readonly kind: 'mode'; readonly mode: string }
  | { readonly kind: 'pause'; readonly paused: boolean }
  | { readonly kind: 'install'; readonly app: string }
  | { readonly kind: 'update' }
  | { readonly kind: 'quit' }
  /** Client apps do not start Tooltray again until the user does. */
  | { readonly kind: 'quit-until-started' };

export interface TrayRow {
  readonly id: string;
  readonly label: string;
  readonly action?: TrayAction;
  /** Radio item; whether it is selected. */
  readonly chosen?: boolean;
  readonly rows?: readonly TrayRow[];
}

export type TrayMenu = readonly (TrayRow | 'separator')[];

/** Slices may be missing until the core has sent them. */
export interface TrayFacts {
  readonly state: Partial<AppState>;
  /** An available newer version. */
  readonly update: Pick<FoundUpdate, 'version' | 'isReady' | 'refusal'> | undefined;
}

/** The app offered for one-click installation. */
const oneClickApp = 'claude-desktop';
const maxFixes = 3;
/** Actions with menu items of their own: resume, connect an app, and inbox items. */
const hasOwnRow: ReadonlySet<AttentionAction['kind']> = new Set(['resume', 'connect-app', 'decide', 'heal', 'review']);

export function trayMenu({ state, update }: TrayFacts): TrayMenu {
  return [
    { id: 'summary', label: toLabel(traySummary(state)), action: { kind: 'open', place: 'overview' } },
    ...inboxRows(state.inbox ?? []),
    ...fixRows(state.attention ?? []),
    'separator',
    { id: 'dashboard', label: 'Open Dashboard', action: { kind: 'open', place: '' } },
    ...modeRows(state.modes),
    ...pauseRows(state.core),
    ...connectRows(state.setup),
    'separator',
    ...(update === undefined
      ? []
      : [{ id: 'update', label: toLabel(updateLabel(update)), action: { kind: 'update' } } as const]),
    { id: 'settings', label: 'Settings…', action: { kind: 'open', place: 'settings' } },
    { id: 'quit', label: 'Quit Tooltray', action: { kind: 'quit' } },
    { id: 'quit-until-started', label: 'Quit until I start it', action: { kind: 'quit-until-started' } },
  ];
}

function updateLabel({ version, isReady, refusal }: NonNullable<TrayFacts['update']>): string {
  if (refusal !== undefined) return `Version ${version} is available`;
  return isReady ? `Restart to update to ${version}` : `Download ${version} and restart`;
}

/** The first item, and the icon's tooltip. */
export function traySummary({ core, servers, savings }: Partial<AppState>): string {
  if (servers === undefined) return 'Tooltray is starting…';
  const many = formatCount(servers.filter(({ enabled }) => enabled).length, 'server');
  if (core?.paused === true) return `Paused · ${many}`;
  const today = savings?.periods.today;
  if (today === undefined || today.net < 1) return many;
  const about = today.estimatedShare > 0 ? 'about ' : '';
  return `${many} · ${about}${toShortNumber(today.net)} ${pluralize(Math.round(today.net), 'token')} saved today`;
}

function inboxRows(items: AppState['inbox']): readonly TrayRow[] {
  if (items.length === 0) return [];
  const label = `Inbox: ${formatCount(items.length, 'decision')} for you…`;
  return [{ id: 'inbox', label, action: { kind: 'open', place: 'inbox' } }];
}

function fixRows(items: readonly AttentionItem[]): readonly TrayRow[] {
  return items
    .filter(({ action }) => !hasOwnRow.has(action.kind))
    .slice(0, maxFixes)
    .map((item, index) => ({
      id: `fix-${index + 1}`,
      label: toLabel(`Fix: ${item.server ?? item.sentence} — ${verb(item.action)}`),
      action: { kind: 'fix', item },
    }));
}

/** Labels of actions that open a dialog end with an ellipsis. */
function verb({ kind, label }: AttentionAction): string {
  const isDoneAtOnce = kind === 'retry' || kind === 'enable' || kind === 'resume';
  return `${label.charAt(0).toLowerCase()}${label.slice(1)}${isDoneAtOnce ? '' : '…'}`;
}

function modeRows(modes: AppState['modes'] | undefined): readonly TrayRow[] {
  if (modes === undefined) return [];
  const rows = modes.modes.map(({ name, line }) => ({
    id: `mode-${name}`,
    label: toLabel(`${name.charAt(0).toUpperCase()}${name.slice(1)} — ${line}`),
    action: { kind: 'mode', mode: name } as const,
    chosen: name === modes.mode,
  }));
  return [{ id: 'mode', label: 'Mode', rows }];
}

function pauseRows(core: AppState['core'] | undefined): readonly TrayRow[] {
  if (core === undefined) return [];
  const { paused } = core;
  return [{ id: 'pause', label: paused ? 'Resume' : 'Pause all', action: { kind: 'pause', paused: !paused } }];
}

function connectRows(setup: AppState['setup'] | undefined): readonly TrayRow[] {
  const left = setup?.apps.filter(({ installed, connected }) => installed && connected !== 'yes') ?? [];
  const direct = left.find(
    ({ id, connected, problem, revoked }) => id === oneClickApp && connected === 'no' && problem === '' && !revoked,
  );
  const isOneLeft = left.some((app) => app !== direct);
  return [
    ...(direct === undefined
      ? []
      : [
          { id: 'install', label: `Install into ${direct.name}`, action: { kind: 'install', app: direct.id } } as const,
        ]),
    ...(isOneLeft
      ? [{ id: 'connect', label: 'Connect an app…', action: { kind: 'open', place: 'setup' } } as const]
      : []),
  ];
}

// Text and numbers for menu labels.

const maxLabelLength = 70;

/** Server and user text as a plain label: no control characters, no mnemonics, limited width. */
export function toLabel(text: string): string {
  const plain = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const characters = [...plain];
  const short = characters.length <= maxLabelLength ? plain : `${characters.slice(0, maxLabelLength - 1).join('')}…`;
  // On Windows and Linux a single & underlines the next character.
  return short.replaceAll('&', '&&');
}

/** `184k`, `1.2M`. */
export function toShortNumber(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
    .format(Math.round(value))
    .replace('K', 'k');
}
