/**
 * A session on the real wire in one mode: what a model reads and writes is counted, and told to whoever keeps the log.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { StdioClient } from '../stdio-client.mjs';
import { textOf } from '../tokens/scripted-session.mjs';

/** The app of the trials. */
export const app = 'claude-desktop';
/** Some servers list more a moment after the handshake. */
const afterThoughtMs = 1000;

export class TaskSession {
  instructions = '';
  tools = [];
  /** Tokens of the list with the instructions; of arguments and answers; of the longest answer, and whose it is. */
  listed = 0;
  exchanged = 0;
  largest = { tokens: 0, of: '' };
  calls = 0;
  errors = 0;
  /** Every call as it was: name, arguments, tokens of both directions. */
  steps = [];
  #client;
  #log;

  /** `log`: takes lines of text. */
  static async open({ shim, env, mode, log }) {
    const command = [process.execPath, shim, '--mode', mode, '--app', app];
    const session = new TaskSession(new StdioClient(command, env), log);
    try {
      await session.#begin(mode);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  constructor(client, log) {
    this.#client = client;
    this.#log = log;
  }

  /** The listed tool of this name. */
  tool(name) {
    return this.tools.find((tool) => tool.name === name);
  }

  /** What is done next is done for this. */
  purpose = 'calls';

  /** Everything that `run` calls is counted as this. */
  async as(purpose, run) {
    const before = this.purpose;
    this.purpose = purpose;
    try {
      return await run();
    } finally {
      this.purpose = before;
    }
  }

  /** `{text, isError}`; an error of the protocol is an answer, too: a model reads it. */
  async call(name, args) {
    const params = { name, arguments: args };
    const { text, isError } = await this.#answer(params);
    const [asked, answered] = [countTokens(JSON.stringify(params)), countTokens(text)];
    this.calls++;
    if (isError) this.errors++;
    this.exchanged += asked + answered;
    if (answered > this.largest.tokens) this.largest = { tokens: answered, of: `${name} ${brief(args)}` };
    this.steps.push({ name, args: brief(args), asked, answered, isError, purpose: isError ? 'errors' : this.purpose });
    const mark = isError ? ' ERROR' : '';
    this.#log(`\n>> ${name} ${JSON.stringify(args)}  [${asked}]\n<<${mark} [${answered}]\n${text}`);
    return { text, isError };
  }

  /** What the model thinks, for the log. */
  think(text) {
    this.#log(`\n.. ${text}`);
  }

  close() {
    return this.#client.close();
  }

  async #begin(mode) {
    const { instructions = '' } = await this.#client.initialize();
    await sleep(afterThoughtMs);
    this.instructions = instructions;
    this.tools = await this.#client.listTools();
    // What apps hand on of a definition, as it was counted in the trials.
    const list = this.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    this.listed = countTokens(JSON.stringify(list)) + countTokens(instructions);
    this.#log(`\n══ ${mode} ${'═'.repeat(60)}\n${instructions}\n`);
    for (const tool of list) this.#log(JSON.stringify(tool));
    this.#log(`[${this.listed}]`);
  }

  async #answer(params) {
    try {
      const result = await this.#client.request('tools/call', params);
      return { text: textOf(result), isError: result.isError === true };
    } catch (error) {
      return { text: error.message, isError: true };
    }
  }
}

function brief(args) {
  const text = JSON.stringify(args);
  return text.length > 90 ? `${text.slice(0, 89)}…` : text;
}
