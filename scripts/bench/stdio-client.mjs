/** The client that every measured path gets: JSON lines to a child process, one request after the other. */
import { spawn } from 'node:child_process';
import { eachLine } from './lines.mjs';

/** Of those that are called as we are nothing is counted as a saving: no model reads along. */
const ownName = 'tooltray-bench';
const protocolVersion = '2025-11-25';

export class StdioClient {
  #child;
  #waiting = new Map();
  #lastId = 0;
  #gone;

  #clientInfo;

  constructor([command, ...args], env = process.env, name = ownName) {
    this.#clientInfo = { name, version: '1.0.0' };
    this.#child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#gone = new Promise((resolve) => this.#child.once('close', resolve));
    void this.#gone.then(() => this.#fail(new Error(`${command} ${args.join(' ')} ended.`)));
    this.#child.stdin.on('error', () => undefined);
    eachLine(this.#child.stdout, (line) => this.#receive(JSON.parse(line)));
  }

  get pid() {
    return this.#child.pid;
  }

  /** Resolves with the result; rejects with the answer's error, or when the process ends. */
  request(method, params = {}) {
    const id = ++this.#lastId;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  /** The handshake; resolves with what the server says of itself. */
  async initialize(capabilities = {}) {
    const introduction = await this.request('initialize', {
      protocolVersion,
      capabilities,
      clientInfo: this.#clientInfo,
    });
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return introduction;
  }

  /** All pages of tools/list. */
  async listTools() {
    const tools = [];
    let cursor;
    do {
      const page = await this.request('tools/list', cursor === undefined ? {} : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  }

  async close() {
    this.#child.stdin.end();
    this.#child.kill();
    await this.#gone;
  }

  #send(message) {
    this.#child.stdin.write(JSON.stringify(message) + '\n');
  }

  #receive(message) {
    if (message.method !== undefined) {
      if (message.id !== undefined) this.#send({ jsonrpc: '2.0', id: message.id, error: sessionNotFound });
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else waiting?.reject(new Error(message.error.message));
  }

  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

const sessionNotFound = { code: -32601, message: 'The bench answers no questions.' };
