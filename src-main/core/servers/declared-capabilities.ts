/**
 * Which notifications beyond the specification pass between a server and a client app: those of a capability that both sides declared.
 * Source: MCP 2025-11-25, Lifecycle (`capabilities.experimental`); SEP-1724 (`capabilities.extensions`).
 */
import { type JsonObject, objectOf } from '../base/json.ts';
import { tasksExtension, viewExtension } from './app-kind.ts';

const standard: ReadonlySet<string> = new Set(
  [
    'initialized cancelled progress message roots/list_changed tools/list_changed prompts/list_changed',
    'resources/list_changed resources/updated elicitation/complete tasks tasks/status subscriptions/acknowledged',
  ].flatMap((line) => line.split(' ').map((name) => `notifications/${name}`)),
);

/** Whether both sides declared what a notification belongs to: `notifications/claude/channel` to `claude/channel`. */
export function isDeclared(method: string, ...sides: readonly (JsonObject | undefined)[]): boolean {
  if (standard.has(method)) return true;
  return sides.every((capabilities = {}) => declaredBy(capabilities).some((name) => belongsTo(method, name)));
}

function declaredBy({ experimental, extensions }: JsonObject): readonly string[] {
  return [...Object.keys(objectOf(experimental)), ...Object.keys(objectOf(extensions))];
}

function belongsTo(method: string, name: string): boolean {
  return [name, `notifications/${name}`].some((start) => method === start || method.startsWith(`${start}/`));
}

/** Extensions of the specification's own that the merged view serves; it passes those of vendors, but answers no methods of them. */
const served: ReadonlySet<string> = new Set([viewExtension, tasksExtension]);

/** Without extensions that would be announced and then answered by "Method not found". */
export function servedExtensions(extensions: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(extensions).filter(([name]) => !name.startsWith('io.modelcontextprotocol/') || served.has(name)),
  );
}

/** What servers declare as experimental, each as the first server declares it. */
export function experimentalOf(capabilities: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(capabilities.toReversed().flatMap((one) => Object.entries(objectOf(one['experimental']))));
}
