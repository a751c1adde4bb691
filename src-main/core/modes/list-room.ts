/** Whether a tool of our own may be added to a list of servers' tools. */
import type { JsonObject } from '../base/json.ts';
import type { Catalog } from '../catalog/catalog.ts';

/** Never at the price of a list that is longer than the servers' own. */
export function hasRoomFor(own: JsonObject, tools: readonly JsonObject[], { tools: entries }: Catalog): boolean {
  const whole = entries.map(({ definition }) => definition);
  return JSON.stringify(tools).length + JSON.stringify(own).length <= JSON.stringify(whole).length;
}
