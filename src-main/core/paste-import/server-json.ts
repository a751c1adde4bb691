/** A pasted `server.json` of a registry: the first install option that works here, and the inputs it still needs. */
import { isObject, type JsonObject } from '../base/json.ts';
import { buildEntry } from '../registry/build-entry.ts';
import { requireInstallable } from '../registry/registry-service.ts';
import { uniqueName, parseRegistryServer } from '../registry/registry-server.ts';
import { type RegistryMatch, unrecognizedInputError } from './pasted-server.ts';

export function isRegistryEntry(value: JsonObject): boolean {
  const server = isObject(value['server']) ? value['server'] : value;
  return typeof server['name'] === 'string' && (Array.isArray(server['packages']) || Array.isArray(server['remotes']));
}

/**
 * Required values refer to environment variables until the user sets them. Throws AppError `bad_request`, `not_found`,
 * unsupported.
 */
export function serverFromRegistryEntry(value: JsonObject): RegistryMatch {
  const server = parseRegistryServer(modernForm(value));
  if (server === undefined) throw unrecognizedInputError('This server.json has no server.', 'Copy the full text.');
  const option = requireInstallable(server, undefined);
  const required = option.inputs.filter((input) => input.isRequired && input.default === '');
  const placeholders = Object.fromEntries(required.map(({ id, label }) => [id, placeholderFor(label)]));
  const origin = { name: '', server: server.name, version: server.version };
  // No registry vouches for a pasted text, so the entry names none.
  const { registry: _unproven, ...entry } = buildEntry(option, placeholders, origin, (_, secret) => secret);
  const others = server.options.filter(({ id, plan }) => id !== option.id && plan !== undefined).length;
  return {
    name: uniqueName(server.name, []),
    entry,
    notes: [
      ...required.map(({ label }) => `${label} is required: ${placeholderFor(label)} is used until you set it.`),
      ...option.notes,
      ...(others === 0 ? [] : [`There are other ways to run it; this is the first: ${option.title} ${option.target}.`]),
    ],
  };
}

/** Keys of the registry's first schemas (until 2025-07) → current ones. Source: its schema of 2025-07-09. */
const oldKeys: Readonly<Record<string, string>> = {
  registry_type: 'registryType',
  registry_name: 'registryType',
  registry_base_url: 'registryBaseUrl',
  runtime_hint: 'runtimeHint',
  runtime_arguments: 'runtimeArguments',
  package_arguments: 'packageArguments',
  environment_variables: 'environmentVariables',
  transport_type: 'type',
  is_required: 'isRequired',
  is_secret: 'isSecret',
  is_repeated: 'isRepeated',
  value_hint: 'valueHint',
  file_sha256: 'fileSha256',
};

/** A server.json in the current format; unchanged if it already is. */
function modernForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(modernForm);
  if (!isObject(value)) return value;
  const renamed = Object.entries(value).map(([key, item]) => [oldKeys[key] ?? key, modernForm(item)] as const);
  const { version_detail: detail, ...modern } = Object.fromEntries(renamed);
  const isPackage = modern['registryType'] !== undefined && modern['identifier'] === undefined;
  return {
    ...modern,
    ...(isObject(detail) && { version: detail['version'] }),
    ...(isPackage && { identifier: modern['name'] }),
  };
}

function placeholderFor(label: string): string {
  return `\${env:${
    label
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .toUpperCase() || 'VALUE'
  }}`;
}
