/** Describes a step as an action of the model. Pure. */
import type { CallSummary, StepSummary } from '../../../../src-main/rpc/contract.ts';
import { compact, count, whole } from '../../../lib/format.ts';
import { toolName } from '../call-words.ts';

type DescribedStep = Pick<StepSummary, 'kind' | 'name' | 'what' | 'callCount'> & {
  readonly calls?: readonly CallSummary[];
};

/** `verb`: the action; `subject`: its object, if it has a name. */
export interface StepWords {
  readonly verb: string;
  /** Shown before the subject, muted: the server of a tool. */
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

/** Formats the time since the start of the session: `0:05`, `1:02:15`. */
export function sinceStart(at: number, start: number): string {
  const seconds = Math.max(0, Math.floor((at - start) / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** The server tool that ran. */
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

/** Tokens returned to the app: `228`; for a spilled result `474k → 890`; empty until counted. */
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

/** The tools of its calls, without duplicates: `github:list_issues ×3, fs:read_file`. */
export function toolsInWords(calls: readonly CallSummary[]): string {
  const names = Map.groupBy(calls, toolName);
  return [...names].map(([name, all]) => (all.length === 1 ? name : `${name} ×${all.length}`)).join(', ');
}

/**
 * The part of the overview's figure without recorded steps: `and 1.2k saved that no step here accounts for`; empty if
 * there is none.
 */
export function unrecordedInWords(unrecorded: {
  readonly withoutTooltray: number;
  readonly withTooltray: number;
}): string {
  if (unrecorded.withoutTooltray === 0 && unrecorded.withTooltray === 0) return '';
  const net = unrecorded.withoutTooltray - unrecorded.withTooltray;
  return `plus ${compact(Math.abs(net))} ${net < 0 ? 'spent' : 'saved'} outside these steps`;
}
