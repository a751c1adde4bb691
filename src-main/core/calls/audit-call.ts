/** Turns a finished call into its record in the audit: hashes and sizes of what was said, never the words. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errorText } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { recordedUser } from '../security/principal.ts';
import type { AuditRecorder } from '../trust/audit/audit-log.ts';
import type { CallEntry } from '../trust/audit/audit-entries.ts';
import { canonicalHash } from '../trust/canonical-json.ts';
import { type Result, RpcError } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import type { FinishedCall } from './call-tool.ts';
import { notScanned } from './describe-labels.ts';

interface SaidTexts {
  /** JSON. */
  readonly arguments: string;
  /** The result from the server as JSON, if it is at hand. */
  readonly result: string | undefined;
  /** Labels of the result's content; undefined if there is no result. Never rejects. */
  readonly labels: Promise<readonly string[]> | undefined;
}

/** An answer that is looked through for longer is written down without its labels. */
const labelTimeoutMs = 5000;
/** Records that wait for theirs; the next one is written down without. */
const maxPendingCalls = 500;
/** How long a call waits for its record to be stored, and how often it tries, in ms. */
const writeTimeoutMs = 5000;
const flushRetryMs = 20;

interface WaitingNote {
  readonly id: number;
  readonly entry: CallEntry;
  /** On the clock that times are measured with, in ms. */
  readonly since: number;
  /** Called when it was passed on. */
  readonly resolve: () => void;
}

/** Notes calls, off their way: it hashes, and what an answer holds is found out behind its back. */
export class CallAuditor {
  readonly #audit: Pick<AuditRecorder, 'note' | 'digest' | 'flush'>;
  /** A definition is the same object for as long as the listing is. */
  readonly #pins = new WeakMap<JsonObject, string>();
  /** The one that has waited longest comes first. */
  readonly #waiting = new Map<number, WaitingNote>();
  #last = 0;
  /** The audit log could not be written when a call waited for it. */
  #isFailing = false;
  /** One timer for all waiting calls, because few ever wait. */
  #timer: NodeJS.Timeout | undefined;
  #allNoted: (() => void)[] = [];

  constructor(audit: Pick<AuditRecorder, 'note' | 'digest' | 'flush'>) {
    this.#audit = audit;
  }

  /**
   * Digests the texts at once and does not retain them. Resolves when the record was passed on, with the labels of the
   * result. Never rejects.
   */
  record(call: FinishedCall, durationMs: number, said: SaidTexts): Promise<void> {
    const { request, caller, tool, outcome, failure, result, verdict } = call;
    const server = tool?.server ?? request.server ?? '';
    const user = recordedUser(caller.principal);
    const who = { user, app: caller.app, session: caller.sessionId, server, tool: tool?.name ?? request.tool };
    const args = this.#audit.digest(said.arguments);
    if (outcome === 'blocked') {
      const { rule } = failure instanceof AppError ? ruleOf(failure) : {};
      const refused = {
        code: errorCodeOf(failure),
        sentence: errorText(failure),
        rule,
        via: request.via,
        arguments: args,
      };
      this.#audit.note({ kind: 'refusal', of: 'call', ...who, ...refused });
      return Promise.resolve();
    }
    const entry: CallEntry = {
      kind: 'call',
      ...who,
      mode: caller.mode,
      via: request.via,
      pin: tool && this.#pinOf(tool.definition),
      arguments: args,
      result: result && this.#audit.digest(...saidIn(result, said.result)),
      ...verdict,
      outcome,
      ...(failure !== undefined && { code: errorCodeOf(failure) }),
      ms: Math.round(durationMs * 10) / 10,
    };
    if (said.labels !== undefined) return this.#noteLater(entry, said.labels);
    this.#audit.note(entry);
    return Promise.resolve();
  }

  /**
   * Resolves when everything that was noted is stored. Rejects with AppError `store_unreachable` if it cannot be stored
   * within five seconds.
   */
  async stored(): Promise<void> {
    const until = performance.now() + (this.#isFailing ? 0 : writeTimeoutMs);
    while (!(await this.#audit.flush())) {
      if (performance.now() >= until) {
        this.#isFailing = true;
        throw new AppError('store_unreachable', 'The audit log cannot be written, so results of calls are withheld.', {
          fix: 'The call may have run: do not repeat it. Ask the person who runs Tooltray to check the audit log.',
        });
      }
      await sleep(flushRetryMs);
    }
    this.#isFailing = false;
  }

  /** Rejects with AppError `store_unreachable` if the audit log could not be written last time, and still cannot. */
  async writable(): Promise<void> {
    if (this.#isFailing) await this.stored();
  }

  /** Resolves when no call waits any more. */
  async drained(): Promise<void> {
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#allNoted.push(resolve));
  }

  #noteLater(entry: CallEntry, labels: Promise<readonly string[]>): Promise<void> {
    if (this.#waiting.size >= maxPendingCalls) {
      this.#audit.note({ ...entry, labels: [notScanned] });
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: WaitingNote = { id: ++this.#last, entry, since: performance.now(), resolve };
    this.#waiting.set(waiting.id, waiting);
    const { id } = waiting;
    void labels.then((found) => this.#note(id, found));
    this.#timer ??= setTimeout(() => this.#giveUp(), labelTimeoutMs).unref();
    return promise;
  }

  #note(id: number, found: readonly string[]): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    const { entry, resolve } = waiting;
    this.#audit.note(found.length === 0 ? entry : { ...entry, labels: found });
    resolve();
    if (this.#waiting.size === 0) for (const tell of this.#allNoted.splice(0)) tell();
  }

  /** Drops entries that have waited longer than `labelTimeoutMs`, then schedules the next check. */
  #giveUp(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = performance.now();
    for (const waiting of this.#waiting.values()) {
      const left = waiting.since + labelTimeoutMs - now;
      if (left > 0) {
        this.#timer = setTimeout(() => this.#giveUp(), Math.ceil(left)).unref();
        return;
      }
      this.#note(waiting.id, [notScanned]);
    }
  }

  #pinOf(definition: JsonObject): string {
    const pin = this.#pins.get(definition) ?? canonicalHash(definition);
    this.#pins.set(definition, pin);
    return pin;
  }
}

function saidIn(result: Result, text: string | undefined): [string | readonly Buffer[], number?] {
  return result instanceof RawJson ? [result.chunks, result.byteLength] : [text ?? JSON.stringify(result)];
}

/** `TOOL_QUARANTINED`, `SERVER_MISMATCH`: what refused it, where that has a name. */
function ruleOf({ data }: AppError): { readonly rule?: string } {
  return typeof data?.['code'] === 'string' ? { rule: data['code'] } : {};
}

export function errorCodeOf(failure: unknown): string {
  if (failure instanceof AppError) return failure.code;
  return failure instanceof RpcError ? String(failure.code) : 'internal';
}
