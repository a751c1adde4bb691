/** An error of the code as it is reported: a code, words, and the places in the code as it was given. */
import type { ThrownText } from './guest/guest-values.ts';
import type { SandboxError, SandboxErrorCode } from './sandbox-request.ts';

/** Name of the model's code in stack traces. */
export const codeFile = 'code.js';

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** From a place in what was evaluated to the place in what was given. */
export type MapPlace = (place: Place) => Place;

const mostFrames = 10;

/** Codes that errors carry out of the VM. */
const ownCodes: ReadonlySet<unknown> = new Set(['MAX_TOOL_CALLS_EXCEEDED', 'SERIALIZATION_ERROR', 'MEMORY_LIMIT']);

export function isOwnCode(code: unknown): code is SandboxErrorCode {
  return ownCodes.has(code);
}

/** Names that models expect and that are not there. */
const missing =
  /could not load module|\b(?:require|fetch|process|Buffer|XMLHttpRequest|fs|window|document|setInterval)\b.* is not defined/;

/** `code` is for what is known not to be an error of running code. */
export function toSandboxError(thrown: ThrownText, map: MapPlace, code?: SandboxErrorCode): SandboxError {
  const frames = readFrames(thrown.stack ?? '', map);
  const message = messageOf(thrown);
  const [first] = frames;
  return {
    code: code ?? codeOf(thrown),
    message,
    ...(first !== undefined && { ...first.place, stack: [message, ...frames.map(({ text }) => text)].join('\n') }),
  };
}

/** Name and message read from JSON that came out of the VM, where anything may have become of it. */
export function readThrown(json: string): ThrownText {
  try {
    const entries = Object.entries(JSON.parse(json) as object).filter(([, value]) => typeof value === 'string');
    return Object.fromEntries(entries);
  } catch {
    return { message: 'Something was thrown that cannot be described.' };
  }
}

function messageOf({ name = '', message = '' }: ThrownText): string {
  const text = [name === 'SerializationError' ? '' : name, message].filter((part) => part !== '').join(': ');
  if (missing.test(message)) {
    return `${text}. There are no modules, files, network or processes in here; use call_tool(name, args).`;
  }
  return text === '' ? 'An error without a message was thrown.' : text;
}

function codeOf({ name, message = '', code = '' }: ThrownText): SandboxErrorCode {
  if (isOwnCode(code)) return code;
  if (name !== 'InternalError') return 'RUNTIME_ERROR';
  if (/out of memory|string too long/.test(message)) return 'MEMORY_LIMIT';
  return message === 'interrupted' ? 'TIMEOUT' : 'RUNTIME_ERROR';
}

function readFrames(stack: string, map: MapPlace): { text: string; place: Place }[] {
  const frames = stack.matchAll(/^\s*at (?:(.*?) )?\(?code\.js:(\d+):(\d+)\)?$/gm);
  return [...frames].slice(0, mostFrames).map(([, name = '<eval>', line, column]) => {
    const place = map({ line: Number(line), column: Number(column) });
    return { place, text: `    at ${name} (${codeFile}:${place.line}:${place.column})` };
  });
}
