/** A prompt of our own: can be had in every mode, listed by the modes that name it. */
import type { JsonObject } from '../base/json.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { HelperContext } from './mode.ts';

export interface OwnPrompt {
  /** As listed: name, description, arguments. */
  readonly definition: JsonObject & { readonly name: string };
  /** Throws RpcError -32602 for arguments that do not do. */
  get(args: JsonObject, context: HelperContext): JsonObject;
}

/** Those whose names no server has: a server's own prompt goes first. */
export function usablePrompts(prompts: readonly OwnPrompt[], { lookup }: Catalog): readonly OwnPrompt[] {
  return prompts.filter(({ definition }) => lookup.prompts.listedAs(definition.name) === undefined);
}
