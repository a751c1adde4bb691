/** Programs as written by models for ToolMux's `execute`, their tools, and CPython's results. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import { text } from '../sandbox-harness.ts';

export interface Program {
  readonly name: string;
  readonly code: string;
}

export interface Told {
  /** The exact value. */
  readonly json?: string;
  readonly error?: string;
  readonly printed: readonly string[];
}

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

export const programs: readonly Program[] = read('programs.txt')
  .split(/^### /m)
  .slice(1)
  .map((part) => ({ name: part.slice(0, part.indexOf('\n')), code: part.slice(part.indexOf('\n') + 1).trimEnd() }));

/** As recorded, in the order of the programs. */
export const recorded = JSON.parse(read('expected.json')) as readonly Told[];

const answers = JSON.parse(read('tools.json')) as Record<string, Record<string, unknown>> & {
  readonly get_text: string;
};

const byKey =
  (name: string) =>
  (args: JsonObject): JsonObject => {
    const key = String(args['id'] ?? args['page']);
    const answer = answers[name]?.[key];
    return answer === undefined ? { ...text(`there is no ${key}`), isError: true } : text(JSON.stringify(answer));
  };

/** The same as in reference.py. */
export const programTools = {
  fail: () => ({ ...text('the disk is full'), isError: true }),
  list_orders: () => text(JSON.stringify(answers['list_orders'])),
  get_text: () => text(answers.get_text),
  get_user: byKey('get_user'),
  get_page: byKey('get_page'),
};

/** The local CPython's results; undefined if there is none of version 3.11 or later. */
export function askPython(): readonly Told[] | undefined {
  const version = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 11))'], { encoding: 'utf8' });
  if (version.stdout?.trim() !== 'True') return undefined;
  const reference = new URL('reference.py', import.meta.url);
  const input = JSON.stringify(programs.map(({ code }) => code));
  const { stdout } = spawnSync('python3', [reference.pathname], { input, encoding: 'utf8' });
  return JSON.parse(stdout) as readonly Told[];
}
