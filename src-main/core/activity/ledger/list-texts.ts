/** What apps load of lists, in tokens: as servers send them, or as an app holds them that defers tools. Each list is counted once. */
import type { JsonObject } from '../../base/json.ts';
import type { TokenCount } from '../token-counter.ts';
import type { PayloadCounter } from './payload-counter.ts';

export type ListKey = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

export const listMethods: ReadonlyMap<string, ListKey> = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
]);

/** Longest line that stands for a tool which is loaded only when it is needed, in characters. */
const longestLine = 200;

export class ListTexts {
  readonly #counter: PayloadCounter;
  readonly #whole = new WeakMap<object, Promise<TokenCount>>();
  readonly #lines = new WeakMap<object, Promise<TokenCount>>();

  constructor(counter: PayloadCounter) {
    this.#counter = counter;
  }

  /** The JSON text of the list's result, with nothing in it but the entries. */
  whole(key: ListKey, entries: readonly JsonObject[]): Promise<TokenCount> {
    return once(this.#whole, entries, () => this.#counter.countText(() => JSON.stringify({ [key]: entries })));
  }

  /** The name of each tool and the first line of its description. */
  lines(tools: readonly JsonObject[]): Promise<TokenCount> {
    return once(this.#lines, tools, () => this.#counter.countText(() => tools.map(toLine).join('\n')));
  }
}

export function toLine({ name, description }: JsonObject): string {
  const [first = ''] = typeof description === 'string' ? description.trimStart().split('\n', 1) : [];
  return `${String(name)}: ${first}`.slice(0, longestLine);
}

function once(
  known: WeakMap<object, Promise<TokenCount>>,
  key: object,
  count: () => Promise<TokenCount>,
): Promise<TokenCount> {
  const counted = known.get(key) ?? count();
  known.set(key, counted);
  return counted;
}
