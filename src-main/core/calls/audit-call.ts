/** Turns a finished call into its audit record, which contains digests and sizes of the payloads, never their text. */
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
  /** The arguments as JSON. */
  readonly arguments: string;
  /** The server's result as JSON, if available. */
  readonly result: string | undefined;
  /** Labels of the result's content; undefined if there is no result. Never rejects. */
  readonly labels: Promise<readonly string[]> | undefined;
}

/** If labelling a result takes longer, its call is recorded without labels. In ms. */
const labelTimeoutMs = 5000;
/** Maximum number of calls that wait for their labels; beyond it, the oldest is recorded without them. */
const maxPendingCalls = 500;
/** How long a call waits for its record to be stored, in ms. */
const writeTimeoutMs = 5000;
const flushRetryMs = 20;

interface WaitingNote {
  readonly id: number;
  readonly entry: CallEntry;
  /** `performance.now()` when the call finished. */
  readonly since: number;
  /** Called when the record has been passed on. */
  readonly resolve: () => void;
}

/** Records calls off their path: digests take time, and the labels of a result are known later. */
export class CallAuditor {
  readonly #audit: Pick<AuditRecorder, 'note' | 'digest' | 'flush'>;
  /** Digests by definition, which is the same object until the server sends a new list. */
  readonly #pins = new WeakMap<JsonObject, string>();
  /** In order of arrival. */
  readonly #waiting = new Map<number, WaitingNote>();
  #last = 0;
  /** Whether the audit log could not be written the last time a call waited for it. */
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
   * Resolves when every record is stored. Rejects with AppError `store_unreachable` if it cannot be stored within five
   * seconds.
   */
  async stored(): Promise<void> {
    const until = performance.now() + (this.#isFailing ? 0 : writeTimeoutMs);
    while (!(await this.#audit.flush())) {
      if (performance.now() >= until) {
        this.#isFailing = true;
        throw new AppError('store_unreachable', 'The audit log cannot be written, so call results are withheld.', {
          fix: 'The call may have run. Do not repeat it. Ask the administrator of Tooltray to check the audit log.',
        });
      }
      await sleep(flushRetryMs);
    }
    this.#isFailing = false;
  }

  /**
   * Rejects with AppError `store_unreachable` if the last write to the audit log failed and it still cannot be
   * written.
   */
  async writable(): Promise<void> {
    if (this.#isFailing) await this.stored();
  }

  /** Resolves when no call waits for its labels. */
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

/** The rule or check that refused the call (`TOOL_QUARANTINED`, `SERVER_MISMATCH`), if it has a name. */
function ruleOf({ data }: AppError): { readonly rule?: string } {
  return typeof data?.['code'] === 'string' ? { rule: data['code'] } : {};
}

export function errorCodeOf(failure: unknown): string {
  if (failure instanceof AppError) return failure.code;
  return failure instanceof RpcError ? String(failure.code) : 'internal';
}
