/** The risks of a config entry as single words for lists; entry-consequences.ts describes the same in sentences. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { fieldOfKey } from '../../config/dialects/read-entry.ts';
import { unpinnedPackage } from '../pins/launch-fingerprint.ts';
import { isolationOfEntry } from './describe-isolation.ts';
import type { InboxRisk } from './inbox-item.ts';

/** Returns the risks of `after` that `before` does not have; undefined: no such entry. */
export function entryRisks(before: JsonObject | undefined, after: JsonObject | undefined): readonly InboxRisk[] {
  if (after === undefined) return [];
  const known = new Set(before === undefined ? [] : risksOf(before));
  return risksOf(after).filter((risk) => !known.has(risk));
}

function risksOf(entry: JsonObject): readonly InboxRisk[] {
  const fields = new Map(Object.entries(entry).map(([key, value]) => [fieldOfKey(key), value]));
  const { command, url } = Object.fromEntries(fields);
  const args = listOf(fields.get('args'));
  const hasFolders = listOf(fields.get('folders')).length > 0;
  if (typeof command !== 'string') {
    return [...(hasFolders ? ['disk' as const] : []), ...(typeof url === 'string' ? ['network' as const] : [])];
  }
  const sandbox = isolationOfEntry(fields);
  const named = sandbox && [...(sandbox.write ?? args.filter((arg) => isPath.test(arg))), ...sandbox.read];
  return [
    'runs-code',
    ...(hasFolders || named === undefined || named.length > 0 ? ['disk' as const] : []),
    ...(sandbox === undefined || sandbox.network !== false ? ['network' as const] : []),
    ...(unpinnedPackage(command, args) === undefined ? [] : ['unpinned' as const]),
  ];
}

const isPath = /^(?:--?[\w-]+=)?(?:[/~]|\$\{?(?:env:)?HOME|[A-Z]:\\)/i;

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) && !isObject(value) ? value.map(String) : [];
}
