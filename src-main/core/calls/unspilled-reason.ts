/** Why a big answer went to its app whole, for whoever wonders afterwards. */
import type { UnspilledReason } from '../activity/call-record.ts';
import { isObject } from '../base/json.ts';
import { defaultInlineBytes } from '../client-apps/app-traits.ts';
import { parseSpillInfo } from '../spills/spill.ts';
import type { Result } from '../wire/message.ts';
import { scalarOf, RawJson } from '../wire/raw-json.ts';

/** From which size an answer is kept on disk: the call's own wish, else the tool's, the server's, everyone's, else what suits the app. */
export interface SpillLimit {
  readonly toFile: boolean;
  /** In bytes (UTF-8): of the payload where somebody named it, of the whole message where it is the app's; 0: there is none. */
  readonly bytes: number;
  /** Nobody named it: it is what the app would cut. Pictures and sound are told however long they are, and do not count. */
  readonly ofApp: boolean;
}

/** Why a call has no limit, or its limit. */
export type CallSpillLimit = { readonly none: 'server' | 'program' | 'wanted' } | SpillLimit;

export interface UnspilledResult {
  readonly passed: UnspilledReason;
  /** The limit that it is below, in bytes. */
  readonly limitBytes?: number;
}

/** undefined for what is not big (`carefulBytes`), or did not pass. `bytes`: of what was given, as it was measured for the record. */
export function unspilledReason(given: Result, bytes: number, limit: CallSpillLimit): UnspilledResult | undefined {
  if (bytes < defaultInlineBytes) return undefined;
  if (!(given instanceof RawJson) && parseSpillInfo(given) !== undefined) return undefined;
  if ('none' in limit) return { passed: limit.none };
  const meta = scalarOf(given, '_meta');
  if (isObject(meta) && meta['tooltray/notKept'] !== undefined) return { passed: 'unkept' };
  if (limit.bytes === 0) return { passed: 'off' };
  if (bytes <= limit.bytes) return { passed: 'below', limitBytes: limit.bytes };
  return { passed: limit.ofApp ? 'media' : 'payload', limitBytes: limit.bytes };
}
