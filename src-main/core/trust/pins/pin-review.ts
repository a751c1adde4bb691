/** The review that a change of a server's pinned definitions requires of the user. */
import { canonicalHash } from '../canonical-json.ts';
import type { DefinitionChange } from './pinned-definitions.ts';
import type { PendingChange, PinDecision, PinKey } from './pin-store.ts';

/** The server, and the client apps, whose definitions are compared with the accepted ones. */
export interface PinScope {
  readonly server: string;
  /** The apps that the definitions apply to, in words: `apps that show user interfaces`. Undefined: all. */
  readonly apps: string | undefined;
}

/** One review per server and update. */
export interface PinReview extends PinScope {
  /** Name of these pins in the registry. */
  readonly name: string;
  /** Identifies exactly these changes. */
  readonly id: string;
  readonly changes: readonly DefinitionChange[];
  readonly isRugPull: boolean;
  /** Whether another version or file is launched than when it was accepted; false if equal or unknown. */
  readonly isOtherLaunch: boolean;
  /** Whether the record of accepted definitions is damaged, so that nothing was compared. */
  readonly isLost: boolean;
  /** The package without a locked version. */
  readonly floats: string | undefined;
  /** Time of the oldest pending change, in ms since 1970. */
  readonly at: number;
}

type HashOf = (definition: DefinitionChange['after']) => string;

/** Returns the record of a decision about these changes. */
export function decisionAbout(
  decided: readonly DefinitionChange[],
  { at, by, choice }: Pick<PinDecision, 'at' | 'by' | 'choice'>,
  hashOf: HashOf,
): PinDecision {
  const hashes = decided.map(({ key, after }) => [key, hashOf(after)] as const);
  return {
    id: canonicalHash([at, hashes]).slice(0, 8),
    at,
    by,
    choice,
    before: Object.fromEntries(decided.map(({ key, before }) => [key, before ?? null])),
    decided: Object.fromEntries(hashes),
  };
}

/** Maximum number of changes that other processes reported as pending. */
const maxKnown = 200;

/** Returns the held changes with the time since when each is pending, and the `known` ones of other processes. */
export function pendingChanges(
  held: readonly DefinitionChange[],
  known: ReadonlyMap<PinKey, PendingChange>,
  now: number,
  hashOf: HashOf,
): ReadonlyMap<PinKey, PendingChange> {
  const waits = new Map(
    held.map(({ key, after }): [PinKey, PendingChange] => {
      const [hash, before] = [hashOf(after), known.get(key)];
      return [key, before?.hash === hash ? before : { hash, since: now }];
    }),
  );
  const others = [...known].filter(([key]) => !waits.has(key));
  return new Map([...others.slice(-maxKnown), ...waits]);
}
