/** Listings of servers without Tooltray. */
import { type Params, type RawChild, spawnRaw } from '../support/raw-client.ts';
import type { PrivateHome } from './private-home.ts';
import type { ServerEntry } from './real-servers.ts';

/**
 * Capabilities that Tooltray declares on shared connections; server-everything lists more tools to more capable
 * clients.
 */
const everything = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } };

export class DirectServers implements AsyncDisposable {
  readonly #servers = new Map<string, RawChild>();

  static async open(entries: Readonly<Record<string, ServerEntry>>, home: PrivateHome): Promise<DirectServers> {
    const direct = new DirectServers();
    for (const [name, { command, args, env }] of Object.entries(entries)) {
      const raw = spawnRaw(command, args, { env: { ...home.env, ...env }, cwd: home.workFolder });
      direct.#servers.set(name, raw);
      raw.client.onRequest('roots/list', () => ({ roots: [] }));
    }
    await Promise.all([...direct.#servers.values()].map(({ client }) => client.initialize(everything)));
    return direct;
  }

  /** Every server's tools, as defined by the server. */
  async tools(): Promise<Map<string, Params[]>> {
    const lists = [...this.#servers].map(async ([name, { client }]): Promise<[string, Params[]]> => {
      const { tools } = await client.request('tools/list');
      return [name, tools as Params[]];
    });
    return new Map(await Promise.all(lists));
  }

  /** The names under which Tooltray lists them, sorted. */
  async listedNames(): Promise<string[]> {
    const lists = await this.tools();
    return [...lists].flatMap(([server, tools]) => tools.map(({ name }) => listedAs(server, String(name)))).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers.values()].map((raw) => raw[Symbol.asyncDispose]()));
  }
}

/** A name with its server's prefix is listed unchanged. */
function listedAs(server: string, name: string): string {
  return name.startsWith(`${server}_`) ? name : `${server}_${name}`;
}
