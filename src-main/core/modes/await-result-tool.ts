/** `await_result`: waits for a call that was answered with a handle, fetches what came of it, or ends it. */
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
    description: 'Wait for a call that is still running, by its handle. cancel: end it.',
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
      throw new AppError('bad_request', 'The handle is missing.', { fix: 'Give it as "handle".' });
    }
    return context.awaitCall({ handle, waitMs: waitMsOf(input['waitSeconds']), cancel: cancel === true });
  },
};

/** How a model waits in a mode. A program's own time would be over before the usual wait is. */
export function awaitInstruction(mode: Mode, args: JsonObject): string {
  const wish = mode.name === 'code' ? { ...args, waitSeconds: 20 } : args;
  return mode.callLine(awaitResult.definition.name, wish);
}

/** Other modes have a helper tool that leads to it. */
export function isCalledByName(mode: Mode): boolean {
  return mode.name === 'proxy';
}

export interface AwaitListing {
  readonly mode: Mode;
  readonly era: ProtocolKind;
  /** The other listed tools. */
  readonly tools: readonly JsonObject[];
  readonly catalog: Catalog;
  /** The session has been given a handle. */
  readonly used: boolean;
  /** The client app reads its list again when it is notified of a change. */
  readonly followsLists: boolean;
}

/**
 * Whether it is listed: only where it must be, once there is something to wait for. In 2026-07-28 a list must not
 * change by what a session did, and some apps never read theirs again: for them from the start, where the list stays
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
