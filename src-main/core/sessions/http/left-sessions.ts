/**
 * Sessions over HTTP that were open when a core ended: most apps never introduce themselves again, so the next core opens each anew
 * when its app asks for it. What is kept is where it was opened, by whom, and how the app introduced itself; never a token.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isObject, jsonIn } from '../../base/json.ts';
import type { SessionSeed } from './legacy-line.ts';

export interface LeftSession extends SessionSeed {
  /** When its app was last heard, in ms since 1970. */
  readonly seenAt: number;
}

/** Where there are more, those heard last are kept. */
const most = 1_000;

/** Writes them for the next core. */
export function leaveSessions(file: string, sessions: readonly LeftSession[]): void {
  if (sessions.length === 0) return;
  const last = [...sessions].sort((a, b) => b.seenAt - a.seenAt).slice(0, most);
  writeFileSync(file, JSON.stringify(last), { mode: 0o600 });
}

/** Takes those that the last core has left, once: whoever comes next finds none. */
export function takeLeftSessions(file: string): readonly LeftSession[] {
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
  return isToken && ['id', 'path', 'holder'].every((key) => typeof value[key] === 'string');
}
