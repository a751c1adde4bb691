/** A session on the real wire whose every exchange is counted, as a model would read and write it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { StdioClient } from '../stdio-client.mjs';

/** As Tooltray introduces itself to servers: some list more tools to whoever can be asked things. */
const capabilities = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
};
/** Some servers list more a moment after the handshake. */
const afterThoughtMs = 1000;

export class ScriptedSession {
  tools;
  listed;
  instructions;
  /** Tokens of what is looked up, of what the tools are asked, and of what they answer. */
  discovery = 0;
  calls = 0;
  results = 0;
  /** Searches that did not show the tool that was wanted. */
  misses = 0;
  #client;

  /** Opens whatever this command starts and reads its list. */
  static async open(command, env) {
    const session = new ScriptedSession(new StdioClient(command, env));
    try {
      await session.#begin();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  constructor(client) {
    this.#client = client;
  }

  /** Looks something up; resolves with the text of the answer. */
  async lookUp(name, args) {
    const { asked, text } = await this.#call(name, args);
    this.discovery += asked + countTokens(text);
    return text;
  }

  /** Searches for a tool, by its name where other words did not find it. */
  async search(name, args, query, tool) {
    const text = await this.lookUp(name, { ...args, query });
    if (text.includes(tool)) return text;
    this.misses++;
    return this.lookUp(name, { ...args, query: tool });
  }

  /** Uses a tool. */
  async use(name, args) {
    const { asked, text } = await this.#call(name, args);
    this.calls += asked;
    this.results += countTokens(text);
  }

  close() {
    return this.#client.close();
  }

  async #begin() {
    const { instructions = '' } = await this.#client.initialize(capabilities);
    await sleep(afterThoughtMs);
    this.tools = await this.#client.listTools();
    this.listed = countTokens(JSON.stringify({ tools: this.tools }));
    this.instructions = countTokens(instructions);
  }

  async #call(name, args) {
    const params = { name, arguments: args };
    const result = await this.#client.request('tools/call', params);
    const text = textOf(result);
    if (result.isError === true) throw new Error(`${name} ${JSON.stringify(args)} failed: ${text.slice(0, 500)}`);
    return { asked: countTokens(JSON.stringify(params)), text };
  }
}

/** What client apps show a model of a result: its content, and what is structured only if there is nothing else. */
export function textOf({ content = [], structuredContent }) {
  if (content.length === 0) return structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  return content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n');
}
