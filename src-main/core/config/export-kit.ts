/** Servers of a config file as a kit file: entries as they are written, without what is secret. */
import { isObject, type JsonObject } from '../base/json.ts';
import { maskObject } from '../base/mask-secrets.ts';
import { ConfigDocument } from './config-document.ts';
import { nodeValue } from './json-node.ts';
import type { Kit } from './kits.ts';
import { findContainers } from './server-container.ts';

export interface KitExport {
  /** To be written to a kit file. */
  readonly kit: JsonObject;
  /** What was not written, by server: variables that are asked of the environment instead, `***` for other secrets. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
}

/** `about`: what a kit file says besides its servers. `names`: the servers that belong to it. */
export function exportKit(
  text: string,
  names: readonly string[],
  about: Partial<Omit<Kit, 'servers' | 'path'>>,
): KitExport {
  const entries = entriesIn(text);
  const exported = names.flatMap((name) => {
    const entry = entries.get(name);
    return entry === undefined ? [] : [[name, withoutSecrets(entry)] as const];
  });
  const { name, description, author, version, keywords, links } = about;
  const said = { name, description, author, version, keywords, links };
  const given = Object.entries(said).filter(([, value]) => value !== undefined);
  const servers = Object.fromEntries(exported.map(([server, { entry }]) => [server, entry]));
  const secrets = exported.flatMap(([server, { left }]) => (left.length === 0 ? [] : [[server, left] as const]));
  return { kit: { ...Object.fromEntries(given), servers }, secrets: Object.fromEntries(secrets) };
}

function entriesIn(text: string): ReadonlyMap<string, JsonObject> {
  const { root } = new ConfigDocument(text, '');
  const found = root === undefined ? [] : findContainers(root).flatMap((container) => container.entries);
  // The first wins on a clash, as in the config.
  return new Map(
    found.reverse().flatMap(({ name, valueNode }): [string, JsonObject][] => {
      const entry = nodeValue(valueNode);
      return name !== undefined && isObject(entry) ? [[name, entry]] : [];
    }),
  );
}

/** A secret of the environment becomes a reference to the environment of whoever loads the kit; any other is masked. */
function withoutSecrets({ name: _name, kits: _kits, env, ...entry }: JsonObject): {
  entry: JsonObject;
  left: string[];
} {
  const masked = maskObject(entry) as JsonObject;
  const others = JSON.stringify(masked) === JSON.stringify(entry) ? [] : ['***'];
  if (!isObject(env)) return { entry: masked, left: others };
  const shown = maskObject(env) as JsonObject;
  const secret = Object.keys(env).filter((key) => shown[key] !== env[key]);
  const references = Object.fromEntries(secret.map((key) => [key, `\${env:${key}}`]));
  return { entry: { ...masked, env: { ...env, ...references } }, left: [...secret, ...others] };
}
