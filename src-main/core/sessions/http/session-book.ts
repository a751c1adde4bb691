/** Where sessions of the handshake era are written down, so that another core opens them again under their ids: most apps never introduce themselves twice. */
import type { SessionPlace, SessionSeed } from './legacy-line.ts';

/** What is kept: where it was opened, by whom, and how its app introduced itself; never a token. */
export interface LeftSession extends SessionSeed {
  /** When its app was last heard, in ms since 1970. */
  readonly seenAt: number;
}

/** It answers nowhere else, and to nobody else. */
export function isAt(place: SessionPlace, { path, holder }: SessionPlace): boolean {
  return place.path === path && place.holder === holder;
}

/** It shows whoever is there the same. */
export function isBoundAs(place: SessionPlace, { person }: SessionPlace): boolean {
  return place.person?.bounds.join('\n') === person?.bounds.join('\n');
}
