/** Whether a call that was declared to read, write or destroy fits what the server says of its tool. */
import { AppError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';

export const intents = ['read', 'write', 'destructive'] as const;

/** What a model declares a call to do, by the variant of the tool that it calls through. */
export type Intent = (typeof intents)[number];

/**
 * Throws AppError not_allowed with `data` `{code: "SERVER_MISMATCH", use}`. A tool that says nothing of itself passes;
 * `destructive` always does. Unlike MCPProxy, a tool that says it does not only read is no reading one.
 */
export function checkIntent(tool: CatalogEntry, intent: Intent): void {
  const hints = isObject(tool.definition['annotations']) ? tool.definition['annotations'] : {};
  if (intent === 'destructive') return;
  if (hints['destructiveHint'] === true) throw mismatch(tool, intent, 'destructive');
  if (intent === 'read' && hints['readOnlyHint'] === false) throw mismatch(tool, intent, 'write');
}

function mismatch(tool: CatalogEntry, intent: Intent, use: Intent): AppError {
  const says = use === 'destructive' ? 'is destructive' : 'does not only read';
  return new AppError('not_allowed', `${tool.id} ${says}, says its server, and was called to ${verbs[intent]}.`, {
    fix: `Use call_tool_${use}, if that is what is meant to happen.`,
    data: { code: 'SERVER_MISMATCH', use: `call_tool_${use}` },
  });
}

const verbs: Readonly<Record<Intent, string>> = { read: 'read', write: 'write', destructive: 'destroy' };
