/** Where sessions of the handshake era are written down, so that another core opens them again under their ids: most apps never introduce themselves twice. */
import type { SessionPlace, SessionSeed } from './legacy-line.ts';

/** What is kept: where it was opened, by whom, and how its app introduced itself; never a token. */
export interface LeftSession extends SessionSeed {
  /** When its app was last heard, in ms since 1970. */
  readonly seenAt: number;
}

export interface SessionBook {
  /** Before anybody is told its id. Rejects with AppError store_unreachable. */
  opened(seed: SessionSeed): Promise<void>;
  /** Nobody is to open it again; resolves when nobody can. Never rejects. */
  ended(seed: SessionSeed): Promise<void>;
  /** One that no core has open; from then on this one has. */
  take(id: string, place: SessionPlace): Promise<LeftSession | undefined>;
  /** Those of these places are over, too. */
  forget(isOver: (place: SessionPlace) => boolean): void;
  /** This core lets go of them: for whoever is asked next. */
  leave(sessions: readonly LeftSession[]): Promise<void>;
}

/** It answers nowhere else, and to nobody else. */
export function isAt(place: SessionPlace, { path, holder }: SessionPlace): boolean {
  return place.path === path && place.holder === holder;
}

/** It shows whoever is there the same. */
export function isBoundAs(place: SessionPlace, { person }: SessionPlace): boolean {
  return place.person?.bounds.join('\n') === person?.bounds.join('\n');
}
