/** Calls a tool over HTTP on one kept connection, by bytes alone: what a client costs is not what is measured. */
import { connect } from 'node:net';

const clientInfo = { name: 'tooltray-bench', version: '1.0.0' };
const modernVersion = '2026-07-28';
const legacyVersion = '2025-11-25';

export class RawHttp {
  #url;
  #socket;
  #token = '';
  #headers = '';
  #meta = {};
  #lastId = 0;
  #gathered = '';
  #waiting;

  /**
   * `era`: legacy (with a session, where the server has one) or modern (without). `token`: undefined if none is asked
   * for.
   */
  static async connect(url, era, { token } = {}) {
    const client = new RawHttp(new URL(url), token);
    await client.#open();
    if (era === 'modern') client.#speakModern();
    else await client.#introduce();
    return client;
  }

  constructor(url, token) {
    this.#url = url;
    this.#token = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  }

  /** The same session at another address. */
  async at(url) {
    const client = new RawHttp(new URL(url));
    client.#token = this.#token;
    client.#headers = this.#headers;
    await client.#open();
    return client;
  }

  /** The result of the call. */
  async callTool(name, args) {
    const more = this.#meta._meta === undefined ? '' : `Mcp-Method: tools/call\r\nMcp-Name: ${name}\r\n`;
    const { body } = await this.#ask('tools/call', { name, arguments: args, ...this.#meta }, more);
    const { result, error } = JSON.parse(body);
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  /** Opens a stream that stays: of changes (modern), or of the session (legacy). Resolves when its head has come. */
  async listen() {
    const modern = this.#meta._meta !== undefined;
    const wishes = { notifications: { toolsListChanged: true }, ...this.#meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#lastId, method: 'subscriptions/listen', params: wishes });
    const head = new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, head: true };
    });
    this.#send(modern ? 'POST' : 'GET', modern ? body : '', modern ? 'Mcp-Method: subscriptions/listen\r\n' : '');
    const { head: text } = await head;
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text.split('\r\n', 1)[0]);
  }

  /** Ends the session, where there is one. */
  async end() {
    await this.#exchange('DELETE', '');
  }

  close() {
    this.#socket.destroy();
  }

  async #open() {
    this.#socket = connect(Number(this.#url.port), this.#url.hostname);
    this.#socket.setNoDelay(true);
    await new Promise((resolve, reject) => this.#socket.once('connect', resolve).once('error', reject));
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (text) => this.#read(text));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      this.#gathered = '';
      waiting?.reject(new Error('The connection was closed.'));
    });
  }

  #speakModern() {
    const key = (name) => `io.modelcontextprotocol/${name}`;
    this.#headers = `MCP-Protocol-Version: ${modernVersion}\r\n`;
    const said = { protocolVersion: modernVersion, clientCapabilities: {}, clientInfo };
    this.#meta = { _meta: Object.fromEntries(Object.entries(said).map(([name, value]) => [key(name), value])) };
  }

  async #introduce() {
    const params = { protocolVersion: legacyVersion, capabilities: {}, clientInfo };
    const { head, body } = await this.#ask('initialize', params, '');
    const session = /mcp-session-id: (\S+)/i.exec(head)?.[1];
    const named = session === undefined ? '' : `Mcp-Session-Id: ${session}\r\n`;
    this.#headers = `${named}MCP-Protocol-Version: ${JSON.parse(body).result.protocolVersion}\r\n`;
    await this.#exchange('POST', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  }

  #ask(method, params, more) {
    return this.#exchange('POST', JSON.stringify({ jsonrpc: '2.0', id: ++this.#lastId, method, params }), more);
  }

  /** A server may close a kept connection just when something is asked on it: then it is asked once more. */
  async #exchange(method, body, more) {
    for (let isAgain = false; ; isAgain = true) {
      if (this.#socket.readyState !== 'open') await this.#open();
      const answer = this.#answer();
      this.#send(method, body, more);
      try {
        return await answer;
      } catch (error) {
        if (isAgain) throw error;
      }
    }
  }

  #answer() {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, head: false };
    });
  }

  #send(method, body, more = '') {
    const accept = method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream';
    const type =
      method === 'POST' ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : '';
    const head = `${method} ${this.#url.pathname} HTTP/1.1\r\nHost: ${this.#url.host}\r\nAccept: ${accept}\r\n`;
    this.#socket.write(`${head}${type}${this.#token}${this.#headers}${more}\r\n${body}`);
  }

  #read(text) {
    this.#gathered += text;
    const end = this.#gathered.indexOf('\r\n\r\n');
    if (end < 0 || this.#waiting === undefined) return;
    const head = this.#gathered.slice(0, end);
    const rest = this.#gathered.slice(end + 4);
    const body = this.#waiting.head ? '' : bodyOf(head, rest);
    if (body === undefined) return;
    const { resolve } = this.#waiting;
    this.#gathered = '';
    this.#waiting = undefined;
    resolve({ head, body });
  }
}

/** The message in the body; undefined: it has not come whole. */
function bodyOf(head, rest) {
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Buffer.byteLength(rest) < Number(length) ? undefined : rest;
  if (!/transfer-encoding: chunked/i.test(head)) return rest;
  if (!rest.endsWith('0\r\n\r\n')) return undefined;
  const whole = joined(rest);
  if (whole.startsWith('{')) return whole;
  const last = whole.split('\n\n').findLast((event) => /^data: ?\{/m.test(event)) ?? '';
  return /^data: ?(.*)$/m.exec(last)?.[1] ?? whole;
}

/** The chunks of a body as one text. Their sizes are in bytes, which are letters here: what is called has no others. */
function joined(rest) {
  let text = '';
  for (let at = 0; ;) {
    const end = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.slice(at, end), 16);
    if (!(size > 0)) return text;
    text += rest.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
}
