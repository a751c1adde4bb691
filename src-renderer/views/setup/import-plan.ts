/** Which of the importable servers to import, and their names. Pure. */
import type { ImportableServer } from '../../../src-main/rpc/contract.ts';

/** The user's changes; the rest is as offered. */
export interface ImportWishes {
  readonly ticked: ReadonlyMap<string, boolean>;
  readonly names: ReadonlyMap<string, string>;
  /** Also remove them from their apps. */
  readonly move: boolean;
}

export function isTicked({ id, already }: ImportableServer, { ticked, move }: ImportWishes): boolean {
  // Existing servers can only be moved.
  if (already !== undefined && !move) return false;
  return ticked.get(id) ?? already === undefined;
}

export function nameOf({ id, name }: ImportableServer, { names }: ImportWishes): string {
  return names.get(id) ?? name;
}

/** Whether the selection differs from the offer. */
export function isTouched(offers: readonly ImportableServer[], wishes: ImportWishes): boolean {
  const { ticked, move } = wishes;
  return (
    move ||
    offers.some((offer) => nameOf(offer, wishes) !== offer.name) ||
    offers.some(({ id, already }) => ticked.has(id) && ticked.get(id) !== (already === undefined))
  );
}

/** The resulting import request. */
export function chosen(
  offers: readonly ImportableServer[],
  wishes: ImportWishes,
): readonly { id: string; name: string }[] {
  return offers
    .filter((offer) => isTicked(offer, wishes))
    .map((offer) => ({ id: offer.id, name: nameOf(offer, wishes).trim() }));
}

/** Where the selected servers have values that look like secrets, in words for users. */
export function sealable(offers: readonly ImportableServer[], wishes: ImportWishes): readonly string[] {
  return offers
    .filter((offer) => offer.already === undefined && isTicked(offer, wishes))
    .flatMap((offer) => offer.sealable.map(({ where }) => `${where} of ${nameOf(offer, wishes).trim()}`));
}

/** IDs of servers worth testing: existing ones show their own state. */
export function toTry(offers: readonly ImportableServer[], wishes: ImportWishes): readonly string[] {
  return offers.filter((offer) => offer.already === undefined && isTicked(offer, wishes)).map(({ id }) => id);
}

/** What is wrong with a name, as a sentence; empty if nothing is. `here`: names that are taken. */
export function nameProblem(
  offer: ImportableServer,
  { offers, wishes, here }: { offers: readonly ImportableServer[]; wishes: ImportWishes; here: readonly string[] },
): string {
  if (!isTicked(offer, wishes) || offer.already !== undefined) return '';
  const name = nameOf(offer, wishes).trim();
  if (name === '') return 'Name is required.';
  // An imported name is made unique automatically.
  if (name === offer.name) return '';
  if (here.includes(name)) return `A server named ${name} already exists.`;
  const others = offers.filter((one) => one.id !== offer.id && isTicked(one, wishes) && one.already === undefined);
  return others.some((one) => nameOf(one, wishes).trim() === name) ? 'Duplicate name.' : '';
}
