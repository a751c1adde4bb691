/** Servers by what they are called, from the first registry there is, in the shape that Magg has them. */
import { AppError } from '../../base/errors.ts';
import { makeEntry } from '../../registry/make-entry.ts';
import type { RegistryReader } from '../../registry/registries.ts';
import type { RegistryServer } from '../../registry/registry-entry.ts';

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
  registries: RegistryReader,
  signal: AbortSignal,
): Promise<RegistryAnswer> {
  try {
    const { servers } = await registries.search({ query, limit }, signal);
    return { servers: servers.map(toFound) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { servers: [], failure: error.message };
  }
}

function toFound(server: RegistryServer): FoundServer {
  const { name, description, version, website, repository, options } = server;
  const url = [website, repository, ...options.flatMap(({ plan, target }) => (plan?.way === 'address' ? target : []))];
  const page = url.find((one) => one !== '');
  const [install] = options.flatMap(({ plan, ...option }) => {
    if (plan?.way !== 'command') return [];
    const { command, args } = makeEntry({ ...option, plan }, {}, { name: '', server: name, version }, () => '');
    return [
      [String(command), ...(args as string[])].map((word) => (/\s/.test(word) ? JSON.stringify(word) : word)).join(' '),
    ];
  });
  return {
    source: 'mcp-registry',
    name,
    description,
    ...(page !== undefined && { url: page }),
    ...(install !== undefined && { install_command: install }),
  };
}
