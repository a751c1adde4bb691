/** The prompts that a merged view shows: the servers', and our own where the mode lists them; ours can always be had. */
import { isObject, type JsonObject } from '../base/json.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import { ownPrompts } from '../modes/index.ts';
import { type OwnPrompt, usablePrompts } from '../modes/own-prompt.ts';
import type { Era } from '../wire/eras.ts';
import type { Result } from '../wire/message.ts';
import { acceptableEntry } from './acceptable-entry.ts';
import type { MergedParts } from './merged-parts.ts';

export class MergedPrompts {
  readonly #parts: MergedParts;

  constructor(parts: MergedParts) {
    this.#parts = parts;
  }

  /** As they are given to a client app of that era. */
  list(era: Era): readonly JsonObject[] {
    const { catalog, mode } = this.#parts;
    const own = usablePrompts(mode().prompts ?? [], catalog.current);
    const listed = catalog.current.prompts.map((prompt) =>
      acceptableEntry('prompts', { ...prompt.definition, name: prompt.listedName }, era),
    );
    return [...listed, ...own.map(({ definition }) => definition)];
  }

  async get(params: JsonObject, context: CallerContext): Promise<Result> {
    const { contexts, lookUp, servers } = this.#parts;
    const own = this.own(params['name']);
    if (own !== undefined) {
      const args = isObject(params['arguments']) ? params['arguments'] : {};
      return own.get(args, contexts.make('prompts/get', {}, context));
    }
    const prompt = await lookUp.prompt(params['name']);
    return servers.get(prompt.server).request('prompts/get', { ...params, name: prompt.name }, context);
  }

  /** The prompt of ours that this name means; undefined for a server's. */
  own(name: unknown): OwnPrompt | undefined {
    return usablePrompts(ownPrompts, this.#parts.catalog.current).find(({ definition }) => definition.name === name);
  }
}
