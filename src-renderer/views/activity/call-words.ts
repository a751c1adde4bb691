/** Descriptions of a call: outcome, tokens, duration, and the command that repeats it. Pure. */
import type {
  CallDetail,
  PayloadSide,
  CallSummary,
  PayloadText,
  HealthLevel,
  MissingPayload,
} from '../../../src-main/rpc/contract.ts';
import { bytes, compact, count } from '../../lib/format.ts';

export interface OutcomeWords {
  readonly level: HealthLevel;
  readonly word: string;
  readonly sentence: string;
}

export const outcomeWords: Readonly<Record<CallSummary['outcome'], OutcomeWords>> = {
  ok: { level: 'ok', word: 'OK', sentence: 'The call succeeded.' },
  tool_error: { level: 'attention', word: 'Tool error', sentence: 'The tool returned an error.' },
  failed: { level: 'error', word: 'Failed', sentence: 'No result was returned.' },
  cancelled: { level: 'off', word: 'Cancelled', sentence: 'The app cancelled the call.' },
  blocked: { level: 'attention', word: 'Blocked', sentence: 'Blocked by policy; the server was not called.' },
};

/** `120 → 2.4k`; a dash if nothing was counted (yet), a tilde before an estimate. */
export function tokensInWords({ tokens }: Pick<CallSummary, 'tokens'>): string {
  const { request, modelResult, estimated } = tokens;
  if (request === undefined && modelResult === undefined) return '–';
  const mark = estimated ? '~' : '';
  return `${request === undefined ? '–' : compact(request)} → ${modelResult === undefined ? '–' : mark + compact(modelResult)}`;
}

/** Length of a call's duration bar, 0 to 1: logarithmic from a millisecond to a minute. */
export function tookShare(ms: number): number {
  return Math.min(1, Math.max(0, Math.log10(Math.max(1, ms)) / Math.log10(60_000)));
}

/** `3 new calls, 1 problem`. */
export function newsInWords({ calls, problems }: { readonly calls: number; readonly problems: number }): string {
  return `${count(calls, 'new call')}${problems > 0 ? `, ${count(problems, 'problem')}` : ''}`;
}

/** A sentence about the findings: `looks like a prompt injection and holds a card number`. */
export function labelsSentence(labels: CallSummary['labels']): string {
  const said = [
    ...(labels.some(({ about }) => about === 'orders') ? ['looks like a prompt injection'] : []),
    ...labels.filter(({ about }) => about === 'data').map(({ name }) => name.charAt(0).toLowerCase() + name.slice(1)),
    ...(labels.some(({ about }) => about === 'unread') ? ['was only partly scanned'] : []),
  ];
  return new Intl.ListFormat('en').format(said);
}

/** `Overrides instructions, Takes secrets along`. */
export function labelsInWords(labels: CallSummary['labels']): string {
  return labels.map(({ name }) => name).join(', ');
}

export function toolName({ server, tool }: Pick<CallSummary, 'server' | 'tool'>): string {
  return server === '' ? tool : `${server}:${tool}`;
}

/** `tooltray call github:list_issues '{"state":"open"}'`, quoted for the system's shell. */
export function commandLine(call: CallSummary, args: string | undefined, platform: string): string {
  const quote = platform === 'win32' ? quotedForPowerShell : quotedForShell;
  const name = toolName(call);
  const tool = /^[\w.:/-]+$/.test(name) ? name : quote(name);
  return `tooltray call ${tool}${args === undefined || args === '{}' ? '' : ` ${quote(args)}`}`;
}

/** Why a payload is missing. */
export function noTextSentence(none: MissingPayload, side: PayloadSide): string {
  if (none === 'nothing')
    return side === 'modelResult' ? 'Nothing was returned to the model.' : 'The server returned nothing.';
  return noTextSentences[none];
}

const noTextSentences: Readonly<Record<Exclude<MissingPayload, 'nothing'>, string>> = {
  same: 'Same as the server result (passed through unchanged).',
  spilled: 'Too large for the app: the full result was spilled to disk.',
  'spill-deleted': 'Spilled to disk and since deleted.',
  'too-long': 'Not recorded: payloads over 8 MB are stored only as spills.',
  off: 'Not recorded: payload recording is off ("activity": { "storePayloads": false }).',
  busy: 'Not recorded: the write queue was full.',
  failed: 'Could not be written or read. See the log.',
  gone: 'Expired, or evicted to free space ("results": "retentionDays", "maxBytes"). Sizes and times are still recorded.',
};

/** Why a large result was returned whole: `Below the limit of 1 MB for this app or tool.` */
export function unspilledSentence({ reason, limitBytes }: NonNullable<CallSummary['unspilled']>): string {
  const limit = limitBytes === undefined ? 'the limit' : `the limit of ${bytes(limitBytes)}`;
  const sentences: Readonly<Record<typeof reason, string>> = {
    below: `Below ${limit} for this app or tool.`,
    payload: `The content is below ${limit}; the message envelope does not count.`,
    media: `Image or audio, which does not count towards ${limit}.`,
    off: 'Spilling is disabled.',
    server: 'Called through a single-server endpoint, which passes results through unchanged.',
    program: 'Returned to a program; the model reads only the program’s output.',
    wanted: 'The helper tool requested the full result.',
    notStored: 'Could not be written to disk. See the log.',
  };
  return sentences[reason];
}

/** undefined if it is missing or only partly loaded. */
export function wholeText(text: PayloadText): string | undefined {
  return 'text' in text && text.next === undefined ? text.text : undefined;
}

export function asJson(call: CallSummary | CallDetail): string {
  return JSON.stringify({ ...call, at: new Date(call.at).toISOString() }, undefined, 2);
}

function quotedForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function quotedForPowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
