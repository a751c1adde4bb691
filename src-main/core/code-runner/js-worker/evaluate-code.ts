/** Starts the model's code in the first form that parses: script, function body with `return`, TypeScript. */
import { EvalFlags, JSException, type JSValueHandle, type QuickJS } from 'quickjs-wasi';
import {
  asyncBodyPrefix,
  asyncBodySuffix,
  type CompiledSource,
  type MapPosition,
  type Position,
  stripTypes,
  withoutHead,
} from '../javascript-source.ts';
import { isCodeRunErrorCode, type CodeRunError, type CodeRunErrorCode, type CodeLanguage } from '../run-request.ts';
import type { ThrownText } from './guest/guest-values.ts';

/** The promise of the script's completion value, or the reason why there is none. */
type Started =
  | { readonly script: JSValueHandle; readonly map: MapPosition }
  | { readonly error: CodeRunError; readonly map: MapPosition };

/** Throws errors other than SyntaxError: an interruption, or a trap of the engine. */
export function evaluateCode(vm: QuickJS, code: string, language: CodeLanguage | undefined): Started {
  if (language !== 'typescript') {
    const started = startJavaScript(vm, { code, map: (place) => place });
    if (!('error' in started) || language === 'javascript') return started;
    return startTypeScript(vm, code, started);
  }
  return startTypeScript(vm, code);
}

/** `otherwise`: the result if it is not TypeScript either. */
function startTypeScript(vm: QuickJS, code: string, otherwise?: Started): Started {
  let stripped: CompiledSource;
  try {
    stripped = stripTypes(code);
  } catch (error) {
    return otherwise ?? unreadable(error);
  }
  return startJavaScript(vm, stripped);
}

function unreadable(error: unknown): Started {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  // Node puts the position only at the beginning of the stack.
  const [, line] = /^\S*:(\d+)\n/.exec(stack) ?? [];
  const words = `The TypeScript cannot be read: ${message}`;
  const place = line === undefined ? {} : { line: Number(line) };
  return { error: { code: 'TRANSPILE_ERROR', message: words, ...place }, map: (given) => given };
}

function startJavaScript(vm: QuickJS, { code, map }: CompiledSource): Started {
  const script = evaluate(vm, code);
  if (!(script instanceof JSException)) return { script, map };
  if (!script.message.includes('return not in a function')) return refused(script, map);
  // The completion value is a function then, which is called.
  const inBody: MapPosition = (place) => map(withoutHead(place));
  const body = evaluate(vm, asyncBodyPrefix + code + asyncBodySuffix);
  return body instanceof JSException ? refused(body, inBody) : { script: body, map: inBody };
}

/** Runs nothing if the code does not parse; an asynchronous script reports errors in its promise. */
function evaluate(vm: QuickJS, code: string): JSValueHandle | JSException {
  try {
    return vm.evalCode(code, codeFile, EvalFlags.ASYNC);
  } catch (error) {
    if (error instanceof JSException && error.name === 'SyntaxError') return error;
    throw error;
  }
}

function refused(thrown: JSException, map: MapPosition): Started {
  const { name, message, stack = '' } = thrown;
  return { error: toCodeRunError({ name, message, stack }, map, 'SYNTAX_ERROR'), map };
}

// Reports an error of the code: a code, a text, and positions in the original code.

/** Name of the model's code in stack traces. */
const codeFile = 'code.js';

const maxFrames = 10;

/** Names that models expect and that do not exist. */
const missing =
  /could not load module|\b(?:require|fetch|process|Buffer|XMLHttpRequest|fs|window|document|setInterval)\b.* is not defined/;

/** `code`: for errors that are known not to come from running code. */
export function toCodeRunError(thrown: ThrownText, map: MapPosition, code?: CodeRunErrorCode): CodeRunError {
  const frames = readFrames(thrown.stack ?? '', map);
  const message = messageOf(thrown);
  const [first] = frames;
  return {
    code: code ?? codeOf(thrown),
    message,
    ...(first !== undefined && { ...first.place, stack: [message, ...frames.map(({ text }) => text)].join('\n') }),
  };
}

/** Parses the name and message from untrusted JSON of the VM. */
export function parseThrown(json: string): ThrownText {
  try {
    const entries = Object.entries(JSON.parse(json) as object).filter(([, value]) => typeof value === 'string');
    return Object.fromEntries(entries);
  } catch {
    return { message: 'An unreadable value was thrown.' };
  }
}

function messageOf({ name = '', message = '' }: ThrownText): string {
  const text = [name === 'SerializationError' ? '' : name, message].filter((part) => part !== '').join(': ');
  if (missing.test(message)) {
    return `${text}. Modules, files, network and processes are not available; use call_tool(name, args).`;
  }
  return text === '' ? 'An error without a message was thrown.' : text;
}

function codeOf({ name, message = '', code = '' }: ThrownText): CodeRunErrorCode {
  if (isCodeRunErrorCode(code)) return code;
  if (name !== 'InternalError') return 'RUNTIME_ERROR';
  if (/out of memory|string too long/.test(message)) return 'MEMORY_LIMIT';
  return message === 'interrupted' ? 'TIMEOUT' : 'RUNTIME_ERROR';
}

function readFrames(stack: string, map: MapPosition): { text: string; place: Position }[] {
  const frames = stack.matchAll(/^\s*at (?:(.*?) )?\(?code\.js:(\d+):(\d+)\)?$/gm);
  return [...frames].slice(0, maxFrames).map(([, name = '<eval>', line, column]) => {
    const place = map({ line: Number(line), column: Number(column) });
    return { place, text: `    at ${name} (${codeFile}:${place.line}:${place.column})` };
  });
}
