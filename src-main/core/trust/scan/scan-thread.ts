/**
 * Scans without holding up the core: short texts at once, long ones in a thread that is started for them and ended when
 * idle.
 */
import { resolveWorkerUrl } from '../../base/workers.ts';
import { WorkerThread } from '../../base/worker-thread.ts';
import type { ScanReport } from './scan-finding.ts';
import { type DefinitionKind, textsOfDefinition } from './definition-texts.ts';
import { type ResultLabel, scanResult, scanTexts } from './scan.ts';
import type { ScanResponse, ScanRequest } from './scan-worker.ts';

export interface ScanThreadOptions {
  /**
   * Up to so many characters a definition is scanned in the core's own thread (16 Ki by default, two milliseconds); of
   * a result a quarter.
   */
  readonly shortest?: number;
  /** The thread ends after so long without work, in ms (60,000 by default). */
  readonly idleMs?: number;
}

/** The labels of a result. Windows that could not be scanned are counted, not hidden. */
export interface LabelledResult {
  readonly labels: readonly ResultLabel[];
  /** Characters that nobody looked at: beyond the longest text, or in a window whose thread was lost. */
  readonly unread: number;
}

/** In characters: a result is looked at in windows of this size, which share their ends. */
const windowSize = 64 * 1024;
const windowOverlap = 1024;
const maxResultLength = 8 * 1024 * 1024;
/** Maximum queue length; further texts are not scanned, so that a flood does not delay other scans. */
const maxWaiting = 400;
/** In characters: results that are being looked at, all together. */
const maxHeldLength = 64 * 1024 * 1024;

const unreadable: ScanReport = {
  verdict: 'review',
  findings: [
    {
      rule: 'not-scanned',
      place: '',
      words: '',
      tier: 'review',
      sentence: 'It could not be looked at: the scan ended without an answer.',
    },
  ],
};

export class ScanThread {
  readonly #shortest: number;
  readonly #waiting = new Map<number, (answer: ScanResponse | undefined) => void>();
  readonly #thread: WorkerThread<ScanRequest, ScanResponse>;
  #lastId = 0;
  #heldLength = 0;

  constructor({ shortest = 16 * 1024, idleMs = 60_000 }: ScanThreadOptions = {}) {
    this.#shortest = shortest;
    this.#thread = new WorkerThread({
      entry: resolveWorkerUrl('scan-worker', import.meta.url),
      memory: 512,
      idleTimeoutMs: idleMs,
      onMessage: (answer) => this.#settle(answer),
      onLost: () => this.#abandon(),
    });
  }

  /** Is a thread running now? */
  get running(): boolean {
    return this.#thread.isRunning;
  }

  /** Never rejects: what could not be scanned is for review. */
  async definition(definition: unknown, kind: DefinitionKind): Promise<ScanReport> {
    const texts = textsOfDefinition(definition, kind);
    const length = texts.texts.reduce((sum, { text }) => sum + text.length, 0);
    if (length <= this.#shortest) return scanTexts(texts);
    const answer = await this.#ask({ id: ++this.#lastId, definition: texts });
    return answer !== undefined && 'report' in answer ? answer.report : unreadable;
  }

  /** Never rejects. Up to 64 Ki characters there is one window; of a longer text the labels come window by window. */
  async result(text: string): Promise<LabelledResult> {
    if (text.length <= this.#shortest / 4) return { labels: scanResult(text), unread: 0 };
    if (this.#heldLength + text.length > maxHeldLength) return { labels: [], unread: text.length };
    this.#heldLength += text.length;
    try {
      return await this.#inWindows(text);
    } finally {
      this.#heldLength -= text.length;
    }
  }

  async #inWindows(text: string): Promise<LabelledResult> {
    const labels: ResultLabel[] = [];
    let unread = Math.max(0, text.length - maxResultLength);
    for (const [start, end] of windowsOf(Math.min(text.length, maxResultLength))) {
      const answer = await this.#ask({ id: ++this.#lastId, result: text.slice(start, end) });
      if (answer === undefined || !('labels' in answer)) unread += end - start;
      else labels.push(...answer.labels.map((label) => ({ ...label, at: label.at + start })));
    }
    return { labels: withoutRepeats(labels), unread };
  }

  /** Ends the thread; questions that wait are dropped. */
  async close(): Promise<void> {
    this.#abandon();
    await this.#thread.close();
  }

  #ask(question: ScanRequest): Promise<ScanResponse | undefined> {
    if (!this.#thread.isUsable || this.#waiting.size >= maxWaiting) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting.set(question.id, resolve);
      this.#thread.post(question);
    });
  }

  #settle(answer: ScanResponse): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#thread.rest();
  }

  /** Drops the questions that wait. */
  #abandon(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}

function windowsOf(length: number): [start: number, end: number][] {
  const windows: [number, number][] = [];
  for (let start = 0; start < length; start += windowSize - windowOverlap) {
    windows.push([start, Math.min(length, start + windowSize)]);
    if (start + windowSize >= length) break;
  }
  return windows;
}

/** Reports a place of two windows once, and each rule a few times at most. */
function withoutRepeats(labels: readonly ResultLabel[]): ResultLabel[] {
  const seen = new Map<string, number>();
  const places = new Set<string>();
  return labels.filter(({ rule, at }) => {
    const place = `${rule} ${at}`;
    const times = seen.get(rule) ?? 0;
    if (places.has(place) || times >= 3) return false;
    places.add(place);
    seen.set(rule, times + 1);
    return true;
  });
}
