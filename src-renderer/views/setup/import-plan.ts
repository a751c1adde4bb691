/** Which of the offered servers are to be brought over, and under what name. Pure. */
import type { ImportableServer } from '../../../src-main/rpc/contract.ts';

/** What the user changed; the rest is as offered. */
export interface ImportWishes {
  readonly ticked: ReadonlyMap<string, boolean>;
  readonly names: ReadonlyMap<string, string>;
  /** Take them out of their apps, too. */
  readonly move: boolean;
}

export function isTicked({ id, already }: ImportableServer, { ticked, move }: ImportWishes): boolean {
  // What is here already can only be moved.
  if (already !== undefined && !move) return false;
  return ticked.get(id) ?? already === undefined;
}

export function nameOf({ id, name }: ImportableServer, { names }: ImportWishes): string {
  return names.get(id) ?? name;
}

/** Whether something is chosen that is not as offered. */
export function isTouched(offers: readonly ImportableServer[], wishes: ImportWishes): boolean {
  const { ticked, move } = wishes;
  return (
    move ||
    offers.some((offer) => nameOf(offer, wishes) !== offer.name) ||
    offers.some(({ id, already }) => ticked.has(id) && ticked.get(id) !== (already === undefined))
  );
}

/** What would be asked for. */
export function chosen(
  offers: readonly ImportableServer[],
  wishes: ImportWishes,
): readonly { id: string; name: string }[] {
  return offers
    .filter((offer) => isTicked(offer, wishes))
    .map((offer) => ({ id: offer.id, name: nameOf(offer, wishes).trim() }));
}

/** Returns where the chosen servers have values that look like secrets, in words for users. */
export function sealable(offers: readonly ImportableServer[], wishes: ImportWishes): readonly string[] {
  return offers
    .filter((offer) => offer.already === undefined && isTicked(offer, wishes))
    .flatMap((offer) => offer.sealable.map(({ where }) => `${where} of ${nameOf(offer, wishes).trim()}`));
}

/** Ids of those that are worth a trial: what is here already shows how it fares by itself. */
export function toTry(offers: readonly ImportableServer[], wishes: ImportWishes): readonly string[] {
  return offers.filter((offer) => offer.already === undefined && isTicked(offer, wishes)).map(({ id }) => id);
}

/** What is wrong with a name, in a sentence; empty if nothing is. `here`: names that are taken. */
export function nameProblem(
  offer: ImportableServer,
  { offers, wishes, here }: { offers: readonly ImportableServer[]; wishes: ImportWishes; here: readonly string[] },
): string {
  if (!isTicked(offer, wishes) || offer.already !== undefined) return '';
  const name = nameOf(offer, wishes).trim();
  if (name === '') return 'Name is required.';
  // A name that came along is given a number by itself.
  if (name === offer.name) return '';
  if (here.includes(name)) return `A server named ${name} already exists.`;
  const others = offers.filter((one) => one.id !== offer.id && isTicked(one, wishes) && one.already === undefined);
  return others.some((one) => nameOf(one, wishes).trim() === name) ? 'Duplicate name.' : '';
}
