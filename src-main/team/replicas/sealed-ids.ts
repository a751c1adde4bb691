/**
 * Ids that say which replica has what they stand for: `<replica>.<random>.<seal>`. The seal binds kind, replica, tenant and user, so that
 * any replica sees whether an id was given to whoever brings it, without asking; for anybody else it is none. It is no authority: where
 * the thing is, its session and app are looked at as ever.
 */
import { randomBytes } from 'node:crypto';
import type { Fate, OwnedIds, OwnedKind, Person } from '../../core/security/owned-ids.ts';
import type { Seals } from './seals.ts';

/** `name_tag`: one life of a replica. */
const owner = '[a-z0-9-]{1,40}_[a-z0-9]{6}';
/** Of 16 bytes. */
const letters = '[\\w-]{22}';
const sealBytes = 16;
const whole = new RegExp(`^(${owner})\\.(${letters})\\.(${letters})$`);

interface SealedIdsParts {
  /** This replica. */
  readonly replica: string;
  readonly seals: Seals;
  /** Whether that replica is there. */
  readonly isLive: (replica: string) => boolean;
}

export class SealedIds implements OwnedIds {
  readonly #parts: SealedIdsParts;

  constructor(parts: SealedIdsParts) {
    this.#parts = parts;
  }

  make(kind: OwnedKind, person: Person): string {
    const { replica, seals } = this.#parts;
    const random = randomBytes(sealBytes).toString('base64url');
    return `${replica}.${random}.${seals.make(sealed(kind, replica, random, person), sealBytes)}`;
  }

  ofTask(_taskId: string, person: Person): string {
    return this.make('call', person);
  }

  /** The replica that made it; undefined where it was not given to this person, as that kind. */
  ownerOf(kind: OwnedKind, id: string, person: Person): string | undefined {
    const [, replica, random, seal] = whole.exec(id) ?? [];
    if (replica === undefined || random === undefined || seal === undefined) return undefined;
    const isOurs = this.#parts.seals.holds(sealed(kind, replica, random, person), seal, sealBytes);
    return isOurs ? replica : undefined;
  }

  fate(kind: OwnedKind, id: string, person: Person): Fate | undefined {
    const { replica, isLive } = this.#parts;
    const maker = this.ownerOf(kind, id, person);
    if (maker === undefined || maker === replica) return undefined;
    return isLive(maker) ? 'elsewhere' : 'gone';
  }
}

/** What may be an id in a text, such as a program that a model wrote. */
export function idsIn(text: string): readonly string[] {
  return [...text.matchAll(new RegExp(`(?<![\\w-])${owner}\\.${letters}\\.${letters}(?![\\w-])`, 'g'))].map(
    ([id]) => id,
  );
}

function sealed(kind: OwnedKind, replica: string, random: string, { tenant, user }: Person): readonly string[] {
  return ['id', kind, replica, random, tenant, user];
}
