/** Inside the VM: `call_tool` and `call_tools`, in both styles. */
import type { GuestHostCalls } from './guest-host-calls.ts';
import type { GuestResults } from './guest-results.ts';
import type { GuestValues } from './guest-values.ts';
import type { HostCallError } from '../../run-request.ts';

export interface GuestCalls {
  call_tool(first: unknown, second: unknown, third: unknown): unknown;
  call_tools(requests: unknown, options: unknown): unknown;
}

interface Parts {
  readonly questions: GuestHostCalls;
  readonly values: GuestValues;
  readonly results: GuestResults;
  readonly blocking: boolean;
}

/** `raw`: the result of the tool; `value`: its content. */
type Outcome = { ok: true; raw: unknown; value: unknown } | Failure;
interface Failure {
  readonly ok: false;
  readonly refusal: HostCallError;
  readonly value?: unknown;
}

/** Runs in the VM as text, so it must not refer to anything outside of its body. */
export function guestCalls({ questions, values, results, blocking }: Parts): GuestCalls {
  const { parse } = JSON;
  const { isArray } = Array;
  const maxRequests = 100;
  const maxParallel = 32;

  function refuse(message: string): Failure {
    return { ok: false, refusal: { code: 'INVALID_ARGS', message } };
  }

  /**
   * `(name, args)` or `(server, tool, args)`, with the arguments as an object or JSON text; returns a string for an
   * error.
   */
  function readCall(first: unknown, second: unknown, third: unknown): { json: string } | string {
    const namesServer = typeof second === 'string' && !/^\s*\{/.test(second);
    const name = namesServer ? `${String(first)}:${second}` : first;
    const given = (namesServer ? third : second) ?? {};
    if (typeof first !== 'string' || first === '' || second === '') return 'the tool name must be a string.';
    let args: unknown = given;
    try {
      if (typeof given === 'string') args = parse(given);
    } catch {
      return 'the arguments are a string but not valid JSON.';
    }
    if (typeof args !== 'object' || args === null || isArray(args)) return 'the arguments must be an object.';
    return { json: values.toJson({ name, args }) };
  }

  function begin(json: string, done: (outcome: Outcome) => void): void {
    questions.ask('call', json, (ok, text, exact) => {
      if (!ok) return done({ ok: false, refusal: parse(text) as HostCallError });
      const raw = values.fromJson(text, exact);
      const value = results.unwrap(raw, exact);
      if (!results.failed(raw)) return done({ ok: true, raw, value });
      done({ ok: false, refusal: { code: 'UPSTREAM_ERROR', message: results.failure(raw) }, value });
    });
  }

  /**
   * The documented members, plus `value` (the content of the result), and its fields if no member has the same name.
   */
  function rawSlot(raw: unknown, value: unknown): object {
    const isRecord = typeof value === 'object' && value !== null && !isArray(value);
    if (isRecord && value !== raw && typeof raw === 'object' && raw !== null) {
      for (const key of Object.keys(value).filter((each) => !(each in raw))) {
        hide(raw, key, (value as Record<string, unknown>)[key]);
      }
    }
    return hide({ ok: true, result: raw }, 'value', value);
  }

  function hide(object: object, key: string, value: unknown): object {
    return Object.defineProperty(object, key, { value, writable: true, configurable: true });
  }

  function slot(outcome: Outcome): object {
    if (!outcome.ok) return hide({ ok: false, error: outcome.refusal }, 'value', outcome.value);
    return blocking ? rawSlot(outcome.raw, outcome.value) : { ok: true, result: outcome.value };
  }

  function fill(error: Error, tool: unknown, { refusal, value }: Failure): Error {
    const facts = {
      name: 'ToolError',
      message: refusal.message,
      code: refusal.code,
      tool,
      result: value,
    };
    for (const [key, value] of Object.entries(facts)) hide(error, key, value);
    return error;
  }

  function call_tool(first: unknown, second: unknown, third: unknown): unknown {
    // Created now, so that its stack names the line of the call.
    const error = new Error();
    const start = (done: (outcome: Outcome) => void): void => {
      const call = readCall(first, second, third);
      if (typeof call === 'string') done(refuse(`call_tool: ${call} Use call_tool(name, args).`));
      else begin(call.json, done);
    };
    const outcome = questions.complete(start);
    if (blocking) return slot(outcome as Outcome);
    return (outcome as Promise<Outcome>).then((ended) => {
      if (ended.ok) return ended.value;
      throw fill(error, first, ended);
    });
  }

  function readBatch(requests: unknown): string[] | string {
    if (!isArray(requests)) return 'the requests must be an array of {name, args} or {server, tool, args}.';
    if (requests.length > maxRequests) return `${requests.length} requests exceed the limit of ${maxRequests}.`;
    const calls: string[] = [];
    for (let index = 0; index < requests.length; index++) {
      const { server, tool, name, args } = (requests[index] ?? {}) as Record<string, unknown>;
      const call =
        server === undefined ? readCall(name ?? tool, args, undefined) : readCall(server, tool ?? name ?? '', args);
      if (typeof call === 'string') return `element ${index}: ${call}`;
      calls.push(call.json);
    }
    return calls;
  }

  function readWidth(options: unknown): number | string {
    const width = ((options ?? {}) as { max_parallel?: unknown }).max_parallel ?? maxParallel;
    const isWidth = Number.isInteger(width) && Number(width) >= 1 && Number(width) <= maxParallel;
    return isWidth ? Number(width) : `max_parallel must be a whole number from 1 to ${maxParallel}.`;
  }

  /** Runs at most `width` calls concurrently; results are in the order of the calls. */
  function runBatch(calls: readonly string[], width: number, done: (slots: object[]) => void): void {
    const slots = new Array<object>(calls.length);
    let next = 0;
    let ended = 0;
    const more = (): void => {
      while (next < calls.length && next - ended < width) {
        const index = next++;
        begin(calls[index] ?? '', (outcome) => {
          slots[index] = slot(outcome);
          ended++;
          if (ended === calls.length) done(slots);
          else more();
        });
      }
    };
    if (calls.length === 0) done(slots);
    else more();
  }

  function call_tools(requests: unknown, options: unknown): unknown {
    const error = new Error();
    const calls = readBatch(requests);
    const width = readWidth(options);
    const wrong = typeof calls === 'string' ? calls : typeof width === 'string' ? width : undefined;
    if (wrong === undefined) {
      return questions.complete<object[]>((done) => runBatch(calls as string[], width as number, done));
    }
    const outcome = refuse(`call_tools: ${wrong}`);
    if (blocking) return slot(outcome);
    return Promise.reject(fill(error, 'call_tools', outcome));
  }

  return { call_tool, call_tools };
}
