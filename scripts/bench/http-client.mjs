/** Calls a tool over HTTP on one kept connection, in either protocol era. */
import { Agent, request } from 'node:http';

const clientInfo = { name: 'tooltray-bench', version: '1.0.0' };
const modernVersion = '2026-07-28';
const legacyVersion = '2025-11-25';

export class HttpClient {
  #url;
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #headers;
  #meta;
  #lastId = 0;

  /** `era`: legacy (with a session) or modern (without). */
  static async connect(url, era) {
    const client = new HttpClient(url);
    if (era === 'modern') client.#speakModern();
    else await client.#openSession();
    return client;
  }

  constructor(url) {
    this.#url = url;
  }

  callTool(name, args) {
    const headers = this.#meta === undefined ? {} : { 'mcp-method': 'tools/call', 'mcp-name': name };
    return this.#request('tools/call', { name, arguments: args, ...this.#meta }, headers);
  }

  async close() {
    this.#agent.destroy();
  }

  #speakModern() {
    const key = (name) => `io.modelcontextprotocol/${name}`;
    this.#headers = { 'mcp-protocol-version': modernVersion };
    this.#meta = {
      _meta: {
        [key('protocolVersion')]: modernVersion,
        [key('clientCapabilities')]: {},
        [key('clientInfo')]: clientInfo,
      },
    };
  }

  async #openSession() {
    const params = { protocolVersion: legacyVersion, capabilities: {}, clientInfo };
    const { headers } = await this.#post({ jsonrpc: '2.0', id: ++this.#lastId, method: 'initialize', params });
    this.#headers = { 'mcp-protocol-version': legacyVersion, 'mcp-session-id': headers['mcp-session-id'] };
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async #request(method, params, headers) {
    const { text } = await this.#post({ jsonrpc: '2.0', id: ++this.#lastId, method, params }, headers);
    // One JSON body, or an event stream whose last event is the answer.
    const json = text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: ') + 6);
    const { result, error } = JSON.parse(json);
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  #post(message, headers = {}) {
    const body = Buffer.from(JSON.stringify(message));
    const common = {
      'content-type': 'application/json',
      'content-length': body.length,
      accept: 'application/json, text/event-stream',
    };
    const options = { agent: this.#agent, method: 'POST', headers: { ...common, ...this.#headers, ...headers } };
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, options, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
