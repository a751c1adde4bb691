/** A call in words: its outcome, its tokens, its time, and the line that calls it again. Pure. */
import type {
  CallDetail,
  CallSide,
  CallSummary,
  CallText,
  HealthLevel,
  NoCallText,
} from '../../../src-main/rpc/contract.ts';
import { bytes, compact, count } from '../../lib/format.ts';

export interface OutcomeWords {
  readonly level: HealthLevel;
  readonly word: string;
  readonly sentence: string;
}

export const outcomeWords: Readonly<Record<CallSummary['outcome'], OutcomeWords>> = {
  ok: { level: 'ok', word: 'Answered', sentence: 'The tool answered.' },
  tool_error: { level: 'attention', word: 'Tool error', sentence: 'The tool answered that it could not do it.' },
  failed: { level: 'error', word: 'Failed', sentence: 'No answer came.' },
  cancelled: { level: 'off', word: 'Cancelled', sentence: 'The app took the call back.' },
  blocked: { level: 'attention', word: 'Blocked', sentence: 'The call was not allowed; the server never saw it.' },
};

/** `120 → 2.4k`; a dash where nothing was counted (yet), a swung one in front of an estimate. */
export function tokensInWords({ tokensIn, tokensOut, estimated }: CallSummary): string {
  if (tokensIn === undefined && tokensOut === undefined) return '–';
  const mark = estimated ? '~' : '';
  return `${tokensIn === undefined ? '–' : compact(tokensIn)} → ${tokensOut === undefined ? '–' : mark + compact(tokensOut)}`;
}

/** How long the bar of a call is, 0 to 1: one millisecond none, a minute all of it, each step ten times the one before. */
export function tookShare(ms: number): number {
  return Math.min(1, Math.max(0, Math.log10(Math.max(1, ms)) / Math.log10(60_000)));
}

/** `3 new calls, 1 problem`. */
export function newsInWords({ calls, problems }: { readonly calls: number; readonly problems: number }): string {
  return `${count(calls, 'new call')}${problems > 0 ? `, ${count(problems, 'problem')}` : ''}`;
}

/** What they say of the answer: `looks as if it gave orders and holds a card number`. */
export function labelsSentence(labels: CallSummary['labels']): string {
  const said = [
    ...(labels.some(({ about }) => about === 'orders') ? ['looks as if it gave orders'] : []),
    ...labels.filter(({ about }) => about === 'data').map(({ name }) => name.charAt(0).toLowerCase() + name.slice(1)),
    ...(labels.some(({ about }) => about === 'unread') ? ['was not looked at whole'] : []),
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

/** `tooltray call github:list_issues '{"state":"open"}'`, for the shell of the system. */
export function commandLine(call: CallSummary, args: string | undefined, platform: string): string {
  const quote = platform === 'win32' ? quotedForPowerShell : quotedForShell;
  const name = toolName(call);
  const tool = /^[\w.:/-]+$/.test(name) ? name : quote(name);
  return `tooltray call ${tool}${args === undefined || args === '{}' ? '' : ` ${quote(args)}`}`;
}

/** Why a side of a call shows no text. */
export function noTextSentence(none: NoCallText, side: CallSide): string {
  if (none === 'nothing') return side === 'given' ? 'The model was given nothing.' : 'Nothing came back.';
  return noTextSentences[none];
}

const noTextSentences: Readonly<Record<Exclude<NoCallText, 'nothing'>, string>> = {
  same: 'The same as the server sent: it was passed on untouched.',
  'kept-answer': 'It was too long for the app and is kept on disk, whole.',
  'lost-answer': 'It was kept on disk as a whole, and has been deleted since.',
  'too-long': 'It was not kept: a text of more than 8 MB is kept only as a kept answer.',
  off: 'It was not kept: the settings say so ("activity": { "keepTexts": false }).',
  busy: 'It was not kept: too much waited to be written just then.',
  failed: 'It could not be written or read; the log says why.',
  gone: 'No longer kept: it was too old, or there was no more room ("results": "keepDays", "maxBytes"). Sizes and times stay on record.',
  crashed: 'Lost in a crash: Tooltray was killed before it had written it. Sizes and times stay on record.',
};

/** Why a big answer went to the model as a whole: `It is below the limit of 1 MB.` */
export function passedSentence(passed: NonNullable<CallSummary['passed']>, limitBytes: number | undefined): string {
  const limit = limitBytes === undefined ? 'the limit' : `the limit of ${bytes(limitBytes)}`;
  const sentences: Readonly<Record<typeof passed, string>> = {
    below: `It is below ${limit} for this app or tool.`,
    payload: `What it says is below ${limit}; the message around it does not count.`,
    media: `It shows a picture or sound, which does not count towards ${limit}.`,
    off: 'The limit for long answers is switched off.',
    server: 'It was asked for at the address of one server, where everything passes untouched.',
    program: 'A program of the model got it; the model reads only what the program hands on.',
    wanted: 'The tool that it came through takes answers whole.',
    unkept: 'It could not be kept on disk; the log says why.',
  };
  return sentences[passed];
}

/** undefined where it is not there, or its beginning only. */
export function wholeText(text: CallText): string | undefined {
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
