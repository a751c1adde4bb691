/** How often tools were called and when last, for `include_stats`: from the record of calls, as long as it is kept. */
import type { ToolActivity } from '../../activity/call-record.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { HelperContext } from '../mode.ts';

const mostTopTools = 10;

export class UsageStats {
  readonly #byTool: ReadonlyMap<string, ToolActivity>;
  readonly #topTools: readonly JsonObject[];

  constructor({ toolActivity, catalog }: Pick<HelperContext, 'toolActivity' | 'catalog'>) {
    const used = toolActivity();
    this.#byTool = new Map(used.map((one) => [idOf(one), one]));
    // What is no longer there is of no use to who is looking for a tool.
    const known = used.filter((one) => catalog.lookup.tools.withId(idOf(one)).length > 0);
    this.#topTools = known.slice(0, mostTopTools).map((one) => ({ tool: idOf(one), usage_count: one.calls }));
  }

  of({ id }: CatalogEntry): JsonObject {
    const one = this.#byTool.get(id);
    if (one === undefined) return { usage_count: 0 };
    return { usage_count: one.calls, last_used: new Date(one.lastUsedAt).toISOString() };
  }

  summary(): JsonObject {
    return { usage_summary: { top_tools: this.#topTools } };
  }
}

function idOf({ server, tool }: ToolActivity): string {
  return `${server}:${tool}`;
}
