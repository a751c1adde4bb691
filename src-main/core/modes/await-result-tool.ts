/** `await_result`: waits for a call that was answered with a handle, fetches its result, or ends it. */
import { AppError } from '../base/errors.ts';
import { type JsonObject, toPlainNumber } from '../base/json.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ProtocolKind } from '../wire/protocol-kind.ts';
import { fitsInList } from './render-tools.ts';
import type { HelperTool, Mode } from './mode.ts';

export const awaitResult: HelperTool = {
  kind: 'await',
  definition: {
    name: 'await_result',
    description: 'Wait for a running call by its handle. cancel: end it.',
    inputSchema: {
      type: 'object',
      properties: {
        handle: { type: 'string' },
        waitSeconds: { type: 'number' },
        cancel: { type: 'boolean' },
      },
      required: ['handle'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  reachable: true,
  async run(input, context) {
    const { handle, cancel } = input;
    if (typeof handle !== 'string') {
      throw new AppError('bad_request', 'The handle is missing.', { fix: 'Set "handle".' });
    }
    return context.awaitCall({ handle, waitMs: waitMsOf(input['waitSeconds']), cancel: cancel === true });
  },
};

/** How a model waits in a mode. A program's time limit is shorter than the usual wait. */
export function awaitInstruction(mode: Mode, args: JsonObject): string {
  const wish = mode.name === 'code' ? { ...args, waitSeconds: 20 } : args;
  return mode.callLine(awaitResult.definition.name, wish);
}

/** Other modes have a helper tool that calls it. */
export function isCalledByName(mode: Mode): boolean {
  return mode.name === 'proxy';
}

export interface AwaitListing {
  readonly mode: Mode;
  readonly era: ProtocolKind;
  /** The other listed tools. */
  readonly tools: readonly JsonObject[];
  readonly catalog: Catalog;
  /** Whether the session has received a handle. */
  readonly used: boolean;
  /** Whether the client app lists again after a notification. */
  readonly followsLists: boolean;
}

/**
 * Whether it is listed: only if needed, once there is something to wait for. In 2026-07-28 a list must not depend on
 * the session's actions, and some apps never list again; for those it is listed from the start, if the list stays
 * shorter than the servers'.
 */
export function shouldListAwait({ mode, era, tools, catalog, used, followsLists }: AwaitListing): boolean {
  if (!isCalledByName(mode) || tools.some(({ name }) => name === awaitResult.definition.name)) return false;
  if (era === 'legacy' && used) return true;
  const isRequested = era === 'modern' || !followsLists;
  return isRequested && fitsInList(awaitResult.definition, tools, catalog);
}

function waitMsOf(seconds: unknown): number | undefined {
  const wanted = Number(toPlainNumber(seconds ?? Number.NaN));
  return Number.isFinite(wanted) ? Math.max(0, wanted * 1000) : undefined;
}
