/**
 * The servers of a catalog, each an endpoint of one HTTP server in this process: they list their tools and answer every
 * call alike.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const answer = { content: [{ type: 'text', text: 'Done.' }] };

export class CatalogServers {
  #http;
  #tools;

  /** `tools`: `{server, name, description, inputSchema}`. */
  static async start(tools) {
    const servers = new CatalogServers(tools);
    servers.#http.listen(0, '127.0.0.1');
    await once(servers.#http, 'listening');
    return servers;
  }

  constructor(tools) {
    this.#tools = Map.groupBy(tools, ({ server }) => server);
    this.#http = createServer((request, response) => void this.#serve(request, response));
  }

  /** For a config. */
  get entries() {
    const { port } = this.#http.address();
    const names = [...this.#tools.keys()];
    return Object.fromEntries(names.map((name) => [name, { url: `http://127.0.0.1:${port}/${name}` }]));
  }

  async stop() {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }

  async #serve(request, response) {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = await json(request);
    if (id === undefined) return void response.writeHead(202).end();
    const result = this.#result(decodeURIComponent(request.url.slice(1)), method, params);
    const told = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    const body = JSON.stringify({ jsonrpc: '2.0', id, ...told });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }

  #result(server, method, params) {
    if (method === 'initialize') {
      const { protocolVersion } = params;
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: server, version: '1.0.0' } };
    }
    if (method === 'tools/list')
      return { tools: this.#tools.get(server).map(({ server: _, id: __, ...tool }) => tool) };
    return method === 'tools/call' ? answer : method === 'ping' ? {} : undefined;
  }
}
