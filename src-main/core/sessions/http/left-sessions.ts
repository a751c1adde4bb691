/**
 * Sessions over HTTP that were open when a core ended, in a file of the home: the next core opens each anew when its app asks for it.
 * They are written when a core ends; one that is killed leaves none.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isObject, jsonIn } from '../../base/json.ts';
import type { SessionPlace } from './legacy-line.ts';
import { isAt, type LeftSession } from './session-book.ts';

/** Where there are more, those heard last are kept. */
const most = 1_000;

export class LeftSessions {
  readonly #file: string | undefined;
  /** Of the core before this one, which their apps still believe in. */
  readonly #left: Map<string, LeftSession>;

  /** undefined: nothing is kept. */
  constructor(file: string | undefined) {
    this.#file = file;
    this.#left = new Map((file === undefined ? [] : takeLeft(file)).map((session) => [session.id, session]));
  }

  /** Removes a session and returns it; undefined if there is none of this place. */
  take(id: string, place: SessionPlace): LeftSession | undefined {
    const left = this.#left.get(id);
    if (left === undefined || !isAt(place, left)) return undefined;
    this.#left.delete(id);
    return left;
  }

  forget(isOver: (place: SessionPlace) => boolean): void {
    for (const [id, session] of this.#left) if (isOver(session)) this.#left.delete(id);
  }

  /** Writes sessions down beside those that were left before. */
  leave(sessions: readonly LeftSession[]): void {
    for (const session of sessions) this.#left.set(session.id, session);
    if (this.#file === undefined || this.#left.size === 0) return;
    const last = [...this.#left.values()].sort((a, b) => b.seenAt - a.seenAt).slice(0, most);
    writeFileSync(this.#file, JSON.stringify(last), { mode: 0o600 });
  }
}

/** Once: whoever comes next finds none. */
function takeLeft(file: string): readonly LeftSession[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // The last one left none, or was killed.
    return [];
  }
  rmSync(file, { force: true });
  const left = jsonIn(text);
  return Array.isArray(left) ? left.filter(isLeft) : [];
}

function isLeft(value: unknown): value is LeftSession {
  if (!isObject(value) || !isObject(value['hello']) || typeof value['seenAt'] !== 'number') return false;
  const isToken = value['token'] === undefined || typeof value['token'] === 'string';
  const isPerson = value['person'] === undefined || isObject(value['person']);
  return isToken && isPerson && ['id', 'path', 'holder'].every((key) => typeof value[key] === 'string');
}
