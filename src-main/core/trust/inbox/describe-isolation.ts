/**
 * Describes where a server runs and what it can access, in sentences for the user; shared by the inbox, the command
 * line and doctor.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import { truncateText, markInvisible } from '../../base/visible-text.ts';
import type { Isolation } from '../../config/server-config.ts';
import { parseIsolation } from '../../config/parse-isolation.ts';

/** Isolation of an entry as written, with canonical names; an invalid value counts as no sandbox. */
export function isolationOfEntry(fields: ReadonlyMap<string, unknown>): Isolation | undefined {
  const written = fields.get('isolation');
  const isolation: unknown = typeof written === 'string' ? { mode: written } : written;
  const given = isObject(isolation) ? isolation : {};
  const isList = (value: unknown): boolean => value === undefined || Array.isArray(value);
  if (!['read', 'write', 'extra_args'].every((key) => isList(given[key]))) return undefined;
  if (typeof given['network'] !== 'boolean' && !isList(given['network'])) return undefined;
  const entry: JsonObject = {
    command: fields.get('command'),
    sandboxEnabled: fields.get('sandboxEnabled'),
    isolation: given,
  };
  return parseIsolation(entry, false, (path) => path);
}

/** One sentence about the sandbox, then one per kind of access, without any lookup. */
export function describeIsolation(isolate: Isolation): readonly string[] {
  const { read, write, network, networkMode } = isolate;
  const net = networkMode === undefined || networkMode === 'none' ? '' : ` (${word(networkMode)})`;
  return [
    boxKinds[isolate.kind](isolate.image),
    ...(write === undefined
      ? ['Can write the files and folders named in its arguments and variables.']
      : write.length > 0
        ? [`Can write ${places(write)}.`]
        : []),
    ...(read.length > 0 ? [`Can read ${places(read)}.`] : []),
    network === true
      ? `Can access the network${net}, including services on this computer.`
      : network === false
        ? 'Has no network access.'
        : `Can access no hosts except ${places(network)}.`,
  ];
}

const boxKinds: Readonly<Record<Isolation['kind'], (image: string | undefined) => string>> = {
  auto: () =>
    'Runs in a sandbox if this computer supports it, with its own files and its own home folder; otherwise with your permissions.',
  sandbox: () => 'Runs in a sandbox: sees system programs, its own files, and its own home folder.',
  container: (image) => `Runs in a container${image === undefined ? '' : ` of ${word(image)}`}.`,
};

function places(paths: readonly string[]): string {
  return paths.map(word).join(', ');
}

function word(text: string): string {
  return truncateText(markInvisible(text), 200);
}
