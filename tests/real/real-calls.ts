/** One or more calls per real server, and the expected text of the results. */
import type { Material } from './real-servers.ts';

export interface RealCall {
  /** As listed in mode `proxy`. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Contained in the text of the result. */
  readonly says: readonly string[];
}

/** In this order, because later ones read what earlier ones did. `label` distinguishes callers. */
export function realCalls({ textFile, text, repository, untracked }: Material, label: string): readonly RealCall[] {
  const person = { name: `Ada ${label}`, entityType: 'person', observations: ['wrote the first program'] };
  const thought = { thought: label, thoughtNumber: 3, totalThoughts: 7, nextThoughtNeeded: false };
  return [
    { tool: 'everything_echo', args: { message: `hello ${label}` }, says: [`Echo: hello ${label}`] },
    { tool: 'everything_get-sum', args: { a: 19, b: 23 }, says: ['42'] },
    { tool: 'filesystem_read_text_file', args: { path: textFile }, says: [text] },
    { tool: 'memory_create_entities', args: { entities: [person] }, says: [person.name] },
    { tool: 'memory_read_graph', args: {}, says: [person.name, 'wrote the first program'] },
    { tool: 'git_status', args: { path: repository }, says: ['main', untracked] },
    {
      tool: 'sequential-thinking_sequentialthinking',
      args: thought,
      says: ['"thoughtNumber": 3', '"totalThoughts": 7'],
    },
  ];
}

const title = 'A page for Tooltray';

/** Opens a page in a real browser, without a network. */
export const browserCall: RealCall = {
  tool: 'playwright_browser_navigate',
  args: { url: `data:text/html,<title>${title}</title><h1>Hello</h1>` },
  says: [title],
};
