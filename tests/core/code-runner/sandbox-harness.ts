/** A code runner with a few tools, for the tests of this folder. */
import { afterAll } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { CodeRunner, type CodeRunnerOptions } from '../../../src-main/core/code-runner/code-runner.ts';
import type { CodeRunOutcome, CodeRunRequest } from '../../../src-main/core/code-runner/run-request.ts';

export interface Called {
  readonly name: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

export type Tools = Record<string, (args: JsonObject, signal: AbortSignal) => unknown>;

export const text = (...texts: string[]): JsonObject => ({
  content: texts.map((each) => ({ type: 'text', text: each })),
});

const tools: Tools = {
  echo: (args) => text(JSON.stringify(args)),
  say: ({ text: said }) => text(String(said)),
  structured: (args) => ({ ...text('for people'), structuredContent: args }),
  fail: () => ({ ...text('the disk', 'is full'), isError: true }),
  reject: () => {
    throw new AppError('tool_not_found', 'There is no tool reject.', { fix: 'Search first.' });
  },
  never: (_args, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
};

/** For JavaScript code, so that the language is not detected. */
export const javascript = { language: 'javascript' } as const;

export class Harness {
  readonly sandbox: CodeRunner;
  readonly called: Called[] = [];
  readonly #tools: Tools;
  readonly #defaults: Partial<CodeRunRequest>;

  /** `defaults`: default options of requests. */
  constructor(more: Tools = {}, options: CodeRunnerOptions = {}, defaults: Partial<CodeRunRequest> = {}) {
    this.sandbox = new CodeRunner(options);
    this.#tools = { ...tools, ...more };
    this.#defaults = defaults;
    afterAll(() => this.sandbox.close());
  }

  run(code: string, request: Partial<CodeRunRequest> = {}): Promise<CodeRunOutcome> {
    return this.sandbox.run({ code, globals: 'execute', callTool: this.#callTool, ...this.#defaults, ...request });
  }

  /** The value, or the error if there is one. */
  async value(code: string, request: Partial<CodeRunRequest> = {}): Promise<unknown> {
    const outcome = await this.run(code, request);
    return outcome.ok ? outcome.value : outcome.error;
  }

  async error(code: string, request: Partial<CodeRunRequest> = {}): Promise<unknown> {
    const outcome = await this.run(code, request);
    return outcome.ok ? { unexpected: outcome.value } : outcome.error;
  }

  /**
   * A short time limit that still lets the code reach the point where it is stopped, on this computer under its
   * current load.
   */
  async shortMs(request: Partial<CodeRunRequest> = {}): Promise<number> {
    const began = performance.now();
    await this.run('1', request);
    return 100 + Math.ceil(20 * (performance.now() - began));
  }

  readonly #callTool: CodeRunRequest['callTool'] = async (name, args, signal) => {
    this.called.push({ name, args, signal });
    const tool = this.#tools[name.replace(/^.*:/, '')];
    return tool?.(args, signal);
  };
}
