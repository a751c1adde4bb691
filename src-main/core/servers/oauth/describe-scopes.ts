/** Describes an OAuth scope in words as far as its name permits, because scope names are not standardized. */
import { truncateText, markInvisible } from '../../base/visible-text.ts';

export interface ScopeDescription {
  readonly scope: string;
  /** For example `change files (files:write)`; only the name if it is not descriptive. */
  readonly text: string;
  /** Whether it permits deletion or control of the whole account. */
  readonly isGrave: boolean;
}

const maxScopeLength = 120;

const wellKnown: Readonly<Record<string, string>> = {
  openid: 'know which account you use',
  profile: 'read your name and picture',
  email: 'read your e-mail address',
  phone: 'read your phone number',
  address: 'read your postal address',
  offline_access: 'stay signed in while you are away',
};

const verbs: Readonly<Record<string, string>> = {
  read: 'read',
  readonly: 'read',
  view: 'read',
  get: 'read',
  list: 'list',
  search: 'search',
  write: 'change',
  edit: 'change',
  update: 'change',
  modify: 'change',
  create: 'create',
  add: 'create',
  send: 'send',
  post: 'send',
  publish: 'publish',
  execute: 'run',
  run: 'run',
  invoke: 'run',
  call: 'run',
  delete: 'delete',
  remove: 'delete',
  destroy: 'delete',
  manage: 'manage',
  admin: 'manage',
  full: 'manage',
};

/** Words that carry no information for users. */
const fillers: ReadonlySet<string> = new Set(['all', 'access', 'api', 'scope', 'auth', 'default', 'basic']);
const grave: ReadonlySet<string> = new Set(['delete', 'manage']);

export function describeScope(scope: string): ScopeDescription {
  const name = truncateText(markInvisible(scope), maxScopeLength);
  const known = Object.hasOwn(wellKnown, scope) ? wellKnown[scope] : undefined;
  if (known !== undefined) return { scope, text: `${known} (${name})`, isGrave: false };
  const words = wordsOf(scope);
  const doing = [...new Set(words.flatMap((word) => (Object.hasOwn(verbs, word) ? [verbs[word] ?? ''] : [])))];
  const things = words.filter((word) => !Object.hasOwn(verbs, word) && !fillers.has(word));
  if (doing.length === 0) return { scope, text: name, isGrave: false };
  const what = things.length === 0 ? 'everything there' : things.join(' ');
  const text = truncateText(markInvisible(`${doing.join(' and ')} ${what}`), maxScopeLength);
  return { scope, text: `${text} (${name})`, isGrave: doing.some((verb) => grave.has(verb)) };
}

/**
 * `https://www.googleapis.com/auth/drive.readonly` → drive, readonly; `Files.ReadWrite.All` → files, read, write, all.
 */
function wordsOf(scope: string): string[] {
  const own = scope.replace(/^[a-z][a-z\d+.-]*:\/\/.*\/(?=[^/]+\/?$)/i, '');
  return own
    .replace(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** Most severe first. */
export function describeScopes(scopes: readonly string[]): readonly ScopeDescription[] {
  return scopes.map(describeScope).toSorted((one, other) => Number(other.isGrave) - Number(one.isGrave));
}

/** The distinct tokens of a `scope` value. */
export function splitScope(scope: string | undefined): readonly string[] {
  return [...new Set((scope ?? '').split(/\s+/).filter((one) => one !== ''))];
}
