/** Servers by what they are called, from a registry. */
import { isObject, type JsonObject } from '../../base/json.ts';

// Searches the official MCP registry. Source: its OpenAPI description, `GET /v0/servers`.

const registryUrl = 'https://registry.modelcontextprotocol.io/v0/servers';

const limitMs = 5000;

export interface FoundServer {
  readonly source: 'mcp-registry';
  readonly name: string;
  readonly description: string;
  readonly url?: string;
  readonly install_command?: string;
}

interface RegistryAnswer {
  readonly servers: readonly FoundServer[];
  /** Why there is no answer, in a sentence. */
  readonly failure?: string;
}

/** At most `limit`. A registry that does not answer in time, or not as expected, is told as a failure. */
export async function searchRegistry(
  query: string,
  limit: number,
  signal: AbortSignal,
  url: string = registryUrl,
): Promise<RegistryAnswer> {
  const address = `${url}?${new URLSearchParams({ search: query, version: 'latest', limit: String(limit) }).toString()}`;
  try {
    const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) });
    if (!response.ok) return failed(`it answered with HTTP ${response.status}`);
    const body: unknown = await response.json();
    if (!isObject(body) || !Array.isArray(body['servers'])) return failed('its answer is no list of servers');
    return { servers: (body['servers'] as unknown[]).flatMap(toFound).slice(0, limit) };
  } catch (error) {
    if (signal.aborted) throw error;
    const isSlow = error instanceof DOMException && error.name === 'TimeoutError';
    if (isSlow) return failed(`it did not answer within ${limitMs / 1000} s`);
    return failed(error instanceof SyntaxError ? 'its answer is no JSON' : 'it could not be reached');
  }
}

function failed(why: string): RegistryAnswer {
  return { servers: [], failure: `The MCP registry was not searched: ${why}.` };
}

/** Entries of today lie one level deeper than those of the registry's first months. */
function toFound(item: unknown): FoundServer[] {
  const server = isObject(item) && isObject(item['server']) ? item['server'] : item;
  if (!isObject(server) || typeof server['name'] !== 'string') return [];
  const { name, description, websiteUrl, repository } = server;
  const [remote] = objects(server['remotes']);
  const url = [websiteUrl, isObject(repository) ? repository['url'] : undefined, remote?.['url']].find(isText);
  const install = objects(server['packages']).map(installCommand).find(isText);
  return [
    {
      source: 'mcp-registry',
      name,
      description: isText(description) ? description : '',
      ...(url !== undefined && { url }),
      ...(install !== undefined && { install_command: install }),
    },
  ];
}

function installCommand({ registryType, identifier, version }: JsonObject): string | undefined {
  if (!isText(identifier)) return undefined;
  const pinned = (mark: string): string => (isText(version) ? `${identifier}${mark}${version}` : identifier);
  if (registryType === 'npm') return `npx -y ${pinned('@')}`;
  if (registryType === 'pypi') return `uvx ${pinned('@')}`;
  return registryType === 'oci' ? `docker run -i --rm ${identifier}` : undefined;
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
