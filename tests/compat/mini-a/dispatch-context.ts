/** The context of `proxy-dispatch` with a few servers; servers, filter, and files can be replaced. */
import type { ServerSummary } from '../../../src-main/core/admin/server-summary.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import type { HelperContext } from '../../../src-main/core/modes/mode.ts';
import { fromToon } from '../../../src-main/core/spills/toon.ts';
import { helperContext, type TestContext } from '../../core/modes/helper-context.ts';

export interface DispatchParts {
  readonly facts?: readonly Partial<ServerSummary>[];
  readonly fullResults?: boolean;
  readonly toolFilter?: HelperContext['toolFilter'];
  readonly spillFiles?: HelperContext['spillFiles'];
  readonly callTool?: HelperContext['callTool'];
  readonly refresh?: HelperContext['refresh'];
}

export function dispatchContext(
  servers: readonly CatalogServer[],
  { facts, ...rest }: DispatchParts = {},
  raw = false,
): TestContext {
  const known = facts ?? servers.map(({ name }) => ({ name }));
  return { ...withAdmin(helperContext(servers, raw), { list: () => known }), ...rest };
}

/** The default context rejects queries about servers. */
function withAdmin(context: TestContext, admin: unknown): TestContext {
  return Object.defineProperty(context, 'admin', { value: admin, enumerable: true });
}

export interface Answer {
  readonly text: string;
  /** The text, parsed as JSON. */
  readonly json: JsonObject;
  /** The text, parsed as TOON. */
  readonly toon: JsonObject;
  readonly facts: JsonObject;
  readonly isError: boolean;
  readonly content: readonly JsonObject[];
}

export async function run(name: string, input: JsonObject, context: HelperContext): Promise<Answer> {
  const result = (await allModes.helpers.get(name)?.run(input, context)) as JsonObject;
  const content = result['content'] as JsonObject[];
  const text = String(content[0]?.['text']);
  return {
    text,
    get json() {
      return JSON.parse(text) as JsonObject;
    },
    get toon() {
      return fromToon(text) as JsonObject;
    },
    facts: (result['_meta'] as JsonObject | undefined)?.['tooltray/dispatch'] as JsonObject,
    isError: result['isError'] === true,
    content,
  };
}

export function dispatch(input: JsonObject, context: HelperContext): Promise<Answer> {
  return run('proxy-dispatch', input, context);
}
