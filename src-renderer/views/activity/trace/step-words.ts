/** A step in words, as a user would tell what the model did. Pure. */
import type { CallSummary, StepSummary } from '../../../../src-main/rpc/contract.ts';
import { compact, count, whole } from '../../../lib/format.ts';
import { toolName } from '../call-words.ts';

type DescribedStep = Pick<StepSummary, 'kind' | 'name' | 'what' | 'callCount'> & {
  readonly calls?: readonly CallSummary[];
};

/** `verb`: what it did; `subject`: with what, where that has a name of its own. */
export interface StepWords {
  readonly verb: string;
  /** Stands before the subject, softer: the server of a tool. */
  readonly place: string;
  readonly subject: string;
  /** The argument that identifies a call. */
  readonly preview?: string;
}

const lists: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resource templates',
};

const questions: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'a model completion',
  'elicitation/create': 'user input',
  'roots/list': 'roots',
};

export function stepInWords(step: DescribedStep): StepWords {
  const { kind, name, what, callCount } = step;
  const say = (verb: string, subject = '', place = ''): StepWords => ({ verb, subject, place });
  switch (kind) {
    case 'handshake':
      return say('Connected');
    case 'list':
      return say('Listed', lists[name] ?? name);
    case 'search':
      return say(what === '' ? 'Browsed' : 'Searched', what === '' ? name : `“${what}”`);
    case 'schema':
      return say('Read schema', what === '' ? name : what);
    case 'readback':
      return say('Read spill', what === '' ? name.replace(/^(?:read_result|proxy.*)/, '') : what);
    case 'program':
      return say('Ran code', callCount === 0 ? '' : `(${count(callCount, 'call')})`);
    case 'await':
      return say('Awaited result', what);
    case 'prompt':
      return say('Got prompt', name);
    case 'resource':
      return say('Read resource', name);
    case 'change':
      return say('Changed config', what === '' ? name : what);
    case 'question':
      return say('Server asked for', questions[name] ?? name);
    case 'call':
      return called(step);
    case 'other':
      return say('Requested', name);
  }
}

/** Returns the time since the start of its session as a clock of that session: `0:05`, `1:02:15`. */
export function sinceStart(at: number, start: number): string {
  const seconds = Math.max(0, Math.floor((at - start) / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** The tool that ran, whatever it came through. */
function called({ name, what, calls = [], callCount }: DescribedStep): StepWords {
  const [only] = calls;
  if (only !== undefined && callCount === 1) {
    return { verb: '', place: only.server, subject: only.tool, preview: only.preview };
  }
  return { verb: '', place: '', subject: what === '' ? name : what };
}

/** On one line, as text: `Searched “open issues”`, `github › list_issues`. */
export function wholeWords({ verb, place, subject, preview = '' }: StepWords): string {
  return [verb, place === '' ? subject : `${place} › ${subject}`, preview].join(' ').trim();
}

/**
 * Tokens of what its app was given: `228`; of an answer that was kept on disk `474k → 890`; empty until they are
 * counted.
 */
export function costInWords({ given, raw, calls }: Pick<StepSummary, 'given' | 'raw' | 'calls'>): string {
  if (given === undefined) return '';
  const isStored = calls.some(({ spillId }) => spillId !== undefined);
  if (isStored && raw !== undefined && raw > given) return `${compact(raw)} → ${compact(given)}`;
  return compact(given);
}

/** `12 steps, 1 problem, 1,204 tokens given`. */
export function tokensSentence(given: number): string {
  return `${whole(given)} ${given === 1 ? 'token' : 'tokens'}`;
}

/** The tools of its calls, each once: `github:list_issues ×3, fs:read_file`. */
export function toolsInWords(calls: readonly CallSummary[]): string {
  const names = Map.groupBy(calls, toolName);
  return [...names].map(([name, all]) => (all.length === 1 ? name : `${name} ×${all.length}`)).join(', ');
}

/**
 * What the overview's headline counts besides the steps: `and 1.2k saved that no step here accounts for`; empty if that
 * is nothing.
 */
export function unrecordedInWords(unrecorded: {
  readonly withoutTooltray: number;
  readonly withTooltray: number;
}): string {
  if (unrecorded.withoutTooltray === 0 && unrecorded.withTooltray === 0) return '';
  const net = unrecorded.withoutTooltray - unrecorded.withTooltray;
  return `plus ${compact(Math.abs(net))} ${net < 0 ? 'spent' : 'saved'} outside these steps`;
}
