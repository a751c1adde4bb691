/** Explains why a large result was returned whole instead of spilled. */
import type { UnspilledResult } from '../activity/call-record.ts';
import { isObject } from '../base/json.ts';
import { defaultInlineBytes } from '../client-apps/app-traits.ts';
import { parseSpillInfo } from '../spills/spill.ts';
import type { Result } from '../wire/message.ts';
import { scalarOf, RawJson } from '../wire/raw-json.ts';

/**
 * The size above which a result is spilled: set by the call, else the tool, the server, the global setting, or the
 * client app's own limit.
 */
export interface SpillLimit {
  readonly toFile: boolean;
  /**
   * In bytes (UTF-8): of the payload for a configured limit, of the whole message for an app's limit; 0 for no limit.
   */
  readonly bytes: number;
  /** Whether the limit is the size at which the client app would truncate. Images and audio do not count towards it. */
  readonly ofApp: boolean;
}

/** The limit of a call, or the reason why it has none. */
export type CallSpillLimit = { readonly none: 'server' | 'program' | 'wanted' } | SpillLimit;

/**
 * Undefined for a result that is not large (`carefulBytes`) or was spilled. `bytes`: size of the returned result, as
 * measured for the record.
 */
export function unspilledReason(given: Result, bytes: number, limit: CallSpillLimit): UnspilledResult | undefined {
  if (bytes < defaultInlineBytes) return undefined;
  if (!(given instanceof RawJson) && parseSpillInfo(given) !== undefined) return undefined;
  if ('none' in limit) return { reason: limit.none };
  const meta = scalarOf(given, '_meta');
  if (isObject(meta) && meta['tooltray/notKept'] !== undefined) return { reason: 'notStored' };
  if (limit.bytes === 0) return { reason: 'off' };
  if (bytes <= limit.bytes) return { reason: 'below', limitBytes: limit.bytes };
  return { reason: limit.ofApp ? 'media' : 'payload', limitBytes: limit.bytes };
}
