/** Starts the model's code, in whichever of its forms it parses: script, body with `return`, TypeScript. */
import { EvalFlags, JSException, type JSValueHandle, type QuickJS } from 'quickjs-wasi';
import { codeFile, type MapPlace, toSandboxError } from './guest-error.ts';
import type { SandboxError, SandboxLanguage } from './sandbox-request.ts';
import { bodyHead, bodyTail, type JavaScript, stripTypes, withoutHead } from './strip-types.ts';

/** The promise of what the script ends with, or why there is none. */
export type Started =
  { readonly script: JSValueHandle; readonly map: MapPlace } | { readonly error: SandboxError; readonly map: MapPlace };

/** Throws what is no SyntaxError: an interruption, or a trap of the engine. */
export function evaluateCode(vm: QuickJS, code: string, language: SandboxLanguage | undefined): Started {
  if (language !== 'typescript') {
    const started = startJavaScript(vm, { code, map: (place) => place });
    if (!('error' in started) || language === 'javascript') return started;
    return startTypeScript(vm, code, started);
  }
  return startTypeScript(vm, code);
}

/** `otherwise` is what to answer when it is no TypeScript either. */
function startTypeScript(vm: QuickJS, code: string, otherwise?: Started): Started {
  let stripped: JavaScript;
  try {
    stripped = stripTypes(code);
  } catch (error) {
    return otherwise ?? unreadable(error);
  }
  return startJavaScript(vm, stripped);
}

function unreadable(error: unknown): Started {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  // Node puts the place before the message in the stack, and nowhere else.
  const [, line] = /^\S*:(\d+)\n/.exec(stack) ?? [];
  const words = `The TypeScript cannot be read: ${message}`;
  const place = line === undefined ? {} : { line: Number(line) };
  return { error: { code: 'TRANSPILE_ERROR', message: words, ...place }, map: (given) => given };
}

function startJavaScript(vm: QuickJS, { code, map }: JavaScript): Started {
  const script = evaluate(vm, code);
  if (!(script instanceof JSException)) return { script, map };
  if (!script.message.includes('return not in a function')) return refused(script, map);
  // Its last value is a function then, and that is called.
  const inBody: MapPlace = (place) => map(withoutHead(place));
  const body = evaluate(vm, bodyHead + code + bodyTail);
  return body instanceof JSException ? refused(body, inBody) : { script: body, map: inBody };
}

/** Runs nothing when it does not parse: an asynchronous script reports what it throws in its promise. */
function evaluate(vm: QuickJS, code: string): JSValueHandle | JSException {
  try {
    return vm.evalCode(code, codeFile, EvalFlags.ASYNC);
  } catch (error) {
    if (error instanceof JSException && error.name === 'SyntaxError') return error;
    throw error;
  }
}

function refused(thrown: JSException, map: MapPlace): Started {
  const { name, message, stack = '' } = thrown;
  return { error: toSandboxError({ name, message, stack }, map, 'SYNTAX_ERROR'), map };
}
