/** Inside the VM: the globals of the model's code, and the report of its end. */
import type { GuestCalls } from './guest-calls.ts';
import type { GuestHost, GuestHostCalls } from './guest-host-calls.ts';
import type { GuestValues } from './guest-values.ts';
import type { HostCallKind, HostCallError } from '../../run-request.ts';

/** Functions that the host calls in the guest. */
interface GuestApi {
  readonly deliver: (id: number, ok: boolean, text: string, exact: boolean) => void;
  /** Reports the outcome of the script's promise. Never rejects. */
  readonly settle: (script: Promise<{ value: unknown }>) => Promise<void>;
  readonly describe: (thrown: unknown) => string;
}

interface Parts {
  readonly host: GuestHost;
  readonly questions: GuestHostCalls;
  readonly values: GuestValues;
  readonly calls: GuestCalls;
  readonly blocking: boolean;
  readonly input: string;
  /** JSON: parameters of the tools that are also functions, by name. */
  readonly helpers: string;
}

interface Found {
  readonly ok: boolean;
  readonly found: string;
  readonly exact: boolean;
}

/** Runs in the VM as text, so it must not refer to anything outside of its body. */
export function guestGlobals({ host, questions, values, calls, blocking, input: inputText, helpers }: Parts): GuestApi {
  const { parse } = JSON;
  const NativePromise = Promise;
  const input = values.fromJson(inputText, true);

  function printer(mark: string): (...shown: unknown[]) => void {
    return (...shown) => host.print(mark + shown.map((each) => values.show(each)).join(' '));
  }

  /** `search`, `get_schema` and `sql`: their results; throws an Error otherwise. */
  function lookUp(what: HostCallKind, text: string): unknown {
    const error = new Error();
    const read = ({ ok, found, exact }: Found): unknown => {
      if (ok) return values.fromJson(found, exact);
      throw Object.assign(error, parse(found) as HostCallError);
    };
    const start = (done: (found: Found) => void): void => {
      questions.ask(what, text, (ok, found, exact) => done({ ok, found, exact }));
    };
    const answer = questions.complete(start);
    return blocking ? read(answer as Found) : (answer as Promise<Found>).then(read);
  }

  function search(query: unknown, limit: unknown): unknown {
    return lookUp(
      'search',
      values.toJson({ query: String(query), limit: typeof limit === 'number' ? limit : undefined }),
    );
  }

  function get_schema(names: unknown): unknown {
    return lookUp('schema', values.toJson({ names: Array.isArray(names) ? names.map(String) : [String(names)] }));
  }

  /** Rows as objects. */
  function sql(source: unknown, query: unknown): unknown {
    return lookUp('sql', values.toJson({ source, query: String(query) }));
  }

  function setTimeout(run: (...given: unknown[]) => unknown, ms: unknown, ...given: unknown[]): number {
    let timer = 0;
    void new NativePromise<void>((resolve, reject) => {
      timer = questions.ask('timer', String(Number(ms) || 0), (ok, text) => {
        if (ok) resolve();
        else reject(new Error((parse(text) as HostCallError).message));
      });
    }).then(() => run(...given));
    return timer;
  }

  const log = printer('');
  const [warn, error] = [printer('warn: '), printer('error: ')];
  const console = { log, info: log, debug: log, dir: log, table: log, trace: log, warn, error };
  const clearTimeout = (timer: number): void => questions.forget(timer);
  /** Positional arguments, or a single object with them. */
  function helper(name: string, parameters: readonly string[]): (...given: unknown[]) => unknown {
    return (...given) => {
      const [only] = given;
      const isNamed = given.length === 1 && typeof only === 'object' && only !== null && !Array.isArray(only);
      const placed = given.map((value, at): [string, unknown] => [parameters[at] ?? String(at), value]);
      return calls.call_tool(name, isNamed ? only : Object.fromEntries(placed), undefined);
    };
  }

  const listed = Object.entries(parse(helpers) as Record<string, string[]>);
  const functions = Object.fromEntries(listed.map(([name, parameters]) => [name, helper(name, parameters)]));
  const names = { ...functions, ...calls, search, get_schema, sql, input, console, log, setTimeout, clearTimeout };
  for (const [name, value] of Object.entries(names)) {
    // Configurable, because the code may declare variables with the same names.
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }

  async function settle(script: Promise<{ value: unknown }>): Promise<void> {
    let json: string;
    try {
      // Awaited separately, because a value may be a promise, and a function stands for its result.
      let value = await (await script).value;
      if (typeof value === 'function') value = await (value as (given: unknown) => unknown)(input);
      // `noValue` of run-request.ts.
      json = value === undefined ? 'undefined' : values.toJson(value);
    } catch (thrown) {
      host.finish(false, values.describe(thrown));
      return;
    }
    host.finish(true, json);
  }

  return { deliver: questions.deliver, settle, describe: values.describe };
}
