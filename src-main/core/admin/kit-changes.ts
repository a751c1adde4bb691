/** What loading and unloading a kit changes about the servers, whoever asks for it. */
import { AppError } from '../base/errors.ts';
import type { EntryNotes, Kit, KitReading } from '../config/kits.ts';
import type { ServerChange } from './server-change.ts';

type Notes = ReadonlyMap<string, EntryNotes>;

/** Names of servers that carry the kit's tag. */
export function taggedWith(kit: string, notes: Notes): string[] {
  return [...notes].flatMap(([server, { kits }]) => (kits.includes(kit) ? [server] : []));
}

/** Throws AppError config_conflict where it is loaded, config_invalid for a file that is no kit, not_found. */
export function loadKitChanges(name: string, { kits, broken }: KitReading, notes: Notes): ServerChange[] {
  if (taggedWith(name, notes).length > 0) throw new AppError('config_conflict', `Kit '${name}' is already loaded.`);
  const kit = kits.find((one) => one.name === name);
  if (kit !== undefined) return changesOf(kit, notes);
  const file = broken.find((one) => one.name === name);
  if (file !== undefined) throw brokenKit(file);
  throw kitNotFound(name, kits);
}

/** Throws AppError not_found where it is not loaded. */
export function unloadKitChanges(name: string, notes: Notes): ServerChange[] {
  const tagged = taggedWith(name, notes);
  if (tagged.length === 0) throw new AppError('not_found', `Kit '${name}' is not loaded.`);
  return tagged.map((server): ServerChange => {
    const others = notes.get(server)?.kits.filter((other) => other !== name) ?? [];
    return others.length === 0 ? { kind: 'remove', server } : { kind: 'update', server, fields: { kits: others } };
  });
}

export function brokenKit({ name, path, reason }: KitReading['broken'][number]): AppError {
  return new AppError('config_invalid', `Kit '${name}' cannot be read. ${reason}`, { fix: `Mend ${path}.` });
}

export function kitNotFound(name: string, kits: readonly Kit[]): AppError {
  const there = kits.map((kit) => kit.name).join(', ');
  return new AppError('not_found', `Kit '${name}' not found in any kit.d directory.`, {
    fix: there === '' ? 'There is none.' : `There are: ${there}.`,
  });
}

/** A server that the person has added is not tagged: unloading the kit would take it away. */
function changesOf(kit: Kit, notes: Notes): ServerChange[] {
  return Object.entries(kit.servers).flatMap(([server, entry]): ServerChange[] => {
    const known = notes.get(server);
    if (known === undefined) {
      return [{ kind: 'add', server, entry: { ...entry, kits: [kit.name] }, isUnseen: true }];
    }
    return known.kits.length === 0 ? [] : [{ kind: 'update', server, fields: { kits: [...known.kits, kit.name] } }];
  });
}
