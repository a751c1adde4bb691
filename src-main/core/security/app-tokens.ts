/** A token per client app for `/mcp/app/<app>`: what stands in an app's config file opens that app's door only, and can be taken back. */
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { withFileLock } from '../config/file-lock.ts';
import { sameToken } from './access-token.ts';

export interface AppToken {
  readonly app: string;
  /** In ms since 1970. */
  readonly since: number;
}

interface Kept {
  readonly token: string;
  readonly since: number;
}

export class AppTokens {
  readonly #file: string;
  readonly #now: () => number;

  constructor(file: string, now: () => number = Date.now) {
    this.#file = file;
    this.#now = now;
  }

  /** The app's token, which is made when it has none. */
  async issue(app: string): Promise<string> {
    return this.#change((tokens) => {
      const { token } = tokens.get(app) ?? { token: randomBytes(32).toString('base64url') };
      if (!tokens.has(app)) tokens.set(app, { token, since: this.#now() });
      return token;
    });
  }

  /** From now on its token opens nothing; answers whether it had one. */
  async revoke(app: string): Promise<boolean> {
    return this.#change((tokens) => tokens.delete(app));
  }

  /** The apps that have one, the tokens themselves left out. */
  list(): AppToken[] {
    return [...this.#read()].map(([app, { since }]) => ({ app, since }));
  }

  /** Read anew each time, so that what another process took back is refused at once. */
  accepts(app: string, token: string): boolean {
    const kept = this.#read().get(app);
    return kept !== undefined && sameToken(kept.token, token);
  }

  async #change<T>(change: (tokens: Map<string, Kept>) => T): Promise<T> {
    ensurePrivateDir(dirname(this.#file));
    return withFileLock(this.#file, async () => {
      const tokens = this.#read();
      const before = JSON.stringify([...tokens]);
      const answer = change(tokens);
      if (JSON.stringify([...tokens]) !== before)
        await writeFileAtomic(this.#file, `${JSON.stringify(Object.fromEntries(tokens), undefined, 2)}\n`);
      return answer;
    });
  }

  /** Nothing that others may write is believed. */
  #read(): Map<string, Kept> {
    const stats = lstatSync(this.#file, { throwIfNoEntry: false });
    if (stats === undefined) return new Map();
    const isPrivate = process.platform === 'win32' || (stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0);
    if (!stats.isFile() || !isPrivate) throw refusal(this.#file);
    const kept = parsed(readFileSync(this.#file, 'utf8'));
    return new Map(Object.entries(kept).filter((entry): entry is [string, Kept] => isKept(entry[1])));
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isKept(value: unknown): value is Kept {
  return isObject(value) && typeof value['token'] === 'string' && typeof value['since'] === 'number';
}

function refusal(file: string): AppError {
  return new AppError(
    'not_allowed',
    `The file of app tokens ${file} is not yours alone, so Tooltray will not trust it.`,
    {
      fix: 'Remove it, then connect the apps that use addresses again.',
    },
  );
}
