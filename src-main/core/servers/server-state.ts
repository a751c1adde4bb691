/**
 * The status of a server.
 *
 *   disabled ◄─── disable, enable ───► disconnected ◄─── idle, stop ─── any
 *                                            │ start, wake on use, retry
 *                                            ▼
 *      ┌───────────────► connecting, installing ──► discovering ──► ready
 *      │ retryAt reached, retry              │              │            │
 *      ├── error ◄──── fails, ends ──────────┼──────────────┼────────────┤
 *      │ retry                               │              │            │
 *      ├── pending-sign-in ◄─── 401, 403 ────┴──────────────┴────────────┘
 *      │          │ sign in   ▲
 *      │          ▼           │ denied, too late
 *      └── authenticating ────┘
 *    signed in
 *
 * A connection that fails or ends goes to `error` and is reopened automatically; a refused sign-in waits for the user.
 * A sign-in can start in any status but `disabled`.
 */
import type { AppError } from '../base/errors.ts';
import type { LeaseHandle } from '../config/server-config.ts';
import { holdReasons } from '../config/server-holds.ts';
import { failureReason, type Remedy } from './launch/failure-reason.ts';

export type ServerState =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'disconnected' }
  /** `failures`: number of failed attempts before this one; `error`: the last failure. */
  | { readonly kind: 'connecting'; readonly since: number; readonly failures: number; readonly error?: AppError }
  /** The same while a package is being fetched, which may take minutes. */
  | { readonly kind: 'installing'; readonly since: number; readonly failures: number; readonly error?: AppError }
  | { readonly kind: 'pending-sign-in'; readonly error: AppError }
  | { readonly kind: 'authenticating'; readonly since: number }
  | { readonly kind: 'discovering'; readonly since: number; readonly failures: number; readonly error?: AppError }
  | { readonly kind: 'ready'; readonly since: number }
  /** `retryAt` in ms since 1970. */
  | { readonly kind: 'error'; readonly error: AppError; readonly failures: number; readonly retryAt: number };

/** The health of a server as data; command line, tray and dashboard display it. */
export type HealthLevel = 'ok' | 'busy' | 'attention' | 'error' | 'off';

interface HealthAction {
  readonly kind: 'retry' | 'sign-in' | 'enable' | 'review' | 'edit-config' | 'view-log' | 'add-secret' | 'unlock';
  readonly label: string;
  /** With `add-secret`: the secret it needs. */
  readonly secret?: string;
  /** With `retry`: the folder of a damaged package that is removed first if the user agrees. */
  readonly clears?: string;
}

export interface ServerHealth {
  readonly level: HealthLevel;
  /** Two or three words: Ready, Starting, Needs sign-in … */
  readonly summary: string;
  /** One sentence that states the cause. */
  readonly detail: string;
  /** The reason in a few words after its name; undefined if healthy. */
  readonly reason?: string;
  readonly action: HealthAction | undefined;
}

export interface HealthInput {
  readonly name: string;
  readonly state: ServerState;
  readonly tools: number;
  readonly lazy: boolean;
  /** Why it is not running although it is enabled. */
  readonly held?: LeaseHandle | undefined;
  /** Whether the user has paused all servers. */
  readonly paused?: boolean;
  readonly problems: readonly string[];
  /** Now, in ms since 1970. */
  readonly now: number;
}

const retry: HealthAction = { kind: 'retry', label: 'Retry' };
const setValue: HealthAction = { kind: 'edit-config', label: 'Set value' };
const review: HealthAction = { kind: 'review', label: 'Review' };

export function serverHealth({ name, state, tools, lazy, held, paused, problems, now }: HealthInput): ServerHealth {
  if (paused === true && state.kind !== 'disabled') {
    return { level: 'off', summary: 'Paused', detail: 'Tooltray is paused.', action: undefined };
  }
  switch (state.kind) {
    case 'disabled':
      return disabledHealth(held);
    case 'disconnected':
      return {
        level: 'off',
        summary: 'Idle',
        detail: lazy ? 'Starts on the first call.' : 'Starts on the next call.',
        action: undefined,
      };
    case 'connecting':
    case 'installing':
    case 'authenticating':
    case 'discovering':
      return { level: 'busy', ...startingHealth(state, now), action: undefined };
    case 'pending-sign-in':
      return {
        level: 'attention',
        summary: 'Needs sign-in',
        detail: reasonOf(name, state.error),
        reason: 'needs you to sign in',
        action: { kind: 'sign-in', label: 'Sign in' },
      };
    case 'error':
      return failureHealth(name, state, now);
    case 'ready':
      return problems.length === 0
        ? { level: 'ok', summary: 'Ready', detail: `${tools} ${tools === 1 ? 'tool' : 'tools'}.`, action: undefined }
        : {
            level: 'attention',
            summary: 'Ready, with problems',
            detail: problems.join(' '),
            reason: 'running, with problems in its log',
            action: { kind: 'view-log', label: 'View log' },
          };
  }
}

function disabledHealth(held: HealthInput['held']): ServerHealth {
  const off = { level: 'off', detail: held === undefined ? 'Disabled in the config.' : holdReasons[held] } as const;
  switch (held) {
    case undefined:
      return { ...off, summary: 'Off', action: { kind: 'enable', label: 'Enable' } };
    case 'review':
      return { ...off, summary: 'In review', action: review };
    case 'blocked':
      return { ...off, summary: 'Blocked', action: review };
    case 'setup':
      return { ...off, level: 'attention', summary: 'Needs setup', reason: 'needs a value', action: setValue };
  }
}

function startingHealth(
  state: Extract<ServerState, { kind: 'connecting' | 'installing' | 'authenticating' | 'discovering' }>,
  now: number,
): Pick<ServerHealth, 'summary' | 'detail'> {
  switch (state.kind) {
    case 'connecting':
      return {
        summary: `Starting ${formatSeconds(now - state.since)}`,
        detail: 'Waiting for the server to respond; the first start may download it.',
      };
    case 'installing':
      return {
        summary: `Installing ${formatSeconds(now - state.since)}`,
        detail: 'Downloading its package; this may take minutes the first time.',
      };
    case 'authenticating':
      return { summary: 'Signing in', detail: 'Waiting for the sign-in to finish in the browser.' };
    case 'discovering':
      return {
        summary: 'Reading tools',
        detail: `Connected; listing its tools for ${formatSeconds(now - state.since)}.`,
      };
  }
}

function failureHealth(
  name: string,
  { error, retryAt }: Extract<ServerState, { kind: 'error' }>,
  now: number,
): ServerHealth {
  const detail = reasonOf(name, error);
  // Not an error, because users with a value of their own can use the server.
  if (error.data?.['whose'] === 'user')
    return { level: 'off', summary: 'Waiting for users', detail, action: undefined };
  if (error.code === 'secret_missing')
    return { level: 'attention', summary: 'Needs setup', detail, ...remedyOf(name, error) };
  return {
    level: 'error',
    summary: 'Stopped',
    detail: `${detail} Next try in ${formatSeconds(retryAt - now)}.`,
    ...remedyOf(name, error),
  };
}

/** Text of an error without the server's name, which precedes it in the UI. */
function reasonOf(name: string, { text }: AppError): string {
  return text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text;
}

const remedies: Readonly<Record<Remedy, HealthAction>> = {
  'set-value': setValue,
  'edit-command': { kind: 'edit-config', label: 'Edit command' },
  'edit-address': { kind: 'edit-config', label: 'Edit address' },
  clear: retry,
  retry,
};

/** Returns the fix for the cause; a retry does not help if something is missing. */
function remedyOf(name: string, error: AppError): Pick<ServerHealth, 'reason' | 'action'> {
  const { code, data = {} } = error;
  const { words: reason, remedy } = failureReason(name, error);
  if (code === 'secret_locked') return { reason, action: { kind: 'unlock', label: 'Unlock' } };
  const { damagedFolder: clears, secret } = data;
  if (typeof clears === 'string') return { reason, action: { kind: 'retry', label: 'Clear npx folder', clears } };
  if (code !== 'secret_missing') return { reason, action: remedies[remedy] };
  return { reason, action: { kind: 'add-secret', label: 'Set value', ...(typeof secret === 'string' && { secret }) } };
}

/** For example `4 s`, rounded, never negative. */
export function formatSeconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}
