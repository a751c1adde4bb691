/** What the engine or the host threw, as it is reported: a code, words, and the lines of the code as it was given. */
import type { Frame } from '@pydantic/monty';
import { isOwnCode } from '../guest-error.ts';
import type { SandboxError, SandboxErrorCode } from '../sandbox-request.ts';
import { preludeLines } from './python-prelude.ts';
import { Raise } from './raise.ts';

/** Name of the model's code in stack traces. */
export const pythonFile = 'code.py';

const mostFrames = 10;

/** The part of the engine's errors that is read; told by its shape, so that the engine need not be loaded for it. */
interface EngineError extends Error {
  readonly exception: { readonly typeName: string; readonly message: string };
  readonly traceback?: () => Frame[];
  readonly display: (format: string) => string;
}

/** `raised` are codes of what the host raised, by message; `code` is for what is known not to be an error of running code. */
export function toPythonError(
  thrown: unknown,
  raised: ReadonlyMap<string, string>,
  code?: SandboxErrorCode,
): SandboxError {
  if (thrown instanceof Raise) return { code: known(thrown.code), message: thrown.message };
  if (!isEngineError(thrown)) {
    return { code: 'RUNTIME_ERROR', message: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  const { typeName, message } = thrown.exception;
  const text = `${[typeName, message].filter((part) => part !== '').join(': ')}${hint(typeName, message)}`;
  const frames = framesOf(thrown);
  const [first] = frames;
  const line = first?.line ?? (code === 'SYNTAX_ERROR' ? syntaxLine(thrown) : undefined);
  return {
    code: code ?? limitOf(typeName, message) ?? known(raised.get(message)),
    message: text,
    ...(line !== undefined && { line }),
    ...(first !== undefined && { column: first.column, stack: [text, ...frames.map(frameText)].join('\n') }),
  };
}

function isEngineError(thrown: unknown): thrown is EngineError {
  return thrown instanceof Error && 'exception' in thrown && 'display' in thrown;
}

/** The innermost first; what lies in the prelude is ours. */
function framesOf(error: EngineError): Frame[] {
  const own = (error.traceback?.() ?? []).filter(({ line }) => line > preludeLines);
  return own
    .map((frame) => ({ ...frame, line: frame.line - preludeLines }))
    .reverse()
    .slice(0, mostFrames);
}

function frameText({ functionName, line, column }: Frame): string {
  return `    at ${functionName ?? '<module>'} (${pythonFile}:${line}:${column})`;
}

/** A SyntaxError has no frames; its line stands in its text only. */
function syntaxLine(error: EngineError): number | undefined {
  const [, line] = /File "code\.py", line (\d+)/.exec(error.display('traceback')) ?? [];
  return line === undefined ? undefined : Math.max(1, Number(line) - preludeLines);
}

/** The engine's own limits; the code cannot catch them, but may raise errors of the same names. */
function limitOf(type: string, message: string): SandboxErrorCode | undefined {
  if (type === 'TimeoutError' && message.startsWith('time limit exceeded')) return 'TIMEOUT';
  return type === 'MemoryError' && message.startsWith('memory limit exceeded') ? 'MEMORY_LIMIT' : undefined;
}

function known(code: string | undefined): SandboxErrorCode {
  return isOwnCode(code) ? code : 'RUNTIME_ERROR';
}

function hint(type: string, message: string): string {
  if (type === 'NotImplementedError') {
    return '. This is a part of Python: no classes, generators (yield), match, del. Do without, or write JavaScript.';
  }
  if (type === 'ModuleNotFoundError') {
    return '. There are only asyncio, datetime, json, math, re and typing; no files, network or processes: use await call_tool(name, args).';
  }
  if (type === 'AttributeError' && /'str' object has no attribute 'format'/.test(message)) return '. Use an f-string.';
  return /can't be awaited$/.test(message) ? '. Only coroutines can.' : '';
}
