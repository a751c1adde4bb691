/**
 * Scans without blocking the core: short texts at once, long ones in a thread that is started on demand and ended when
 * idle.
 */
import { resolveWorkerUrl } from '../../base/workers.ts';
import { RequestThread } from '../../base/worker-thread.ts';
import type { ScanReport } from './scan-finding.ts';
import { type DefinitionKind, textsOfDefinition } from './definition-texts.ts';
import { type ResultLabel, scanResult, scanTexts } from './scan.ts';
import type { ScanResponse, ScanRequest } from './scan-worker.ts';

export interface ScanThreadOptions {
  /**
   * Definitions up to this length are scanned in the core's own thread, results up to a quarter of it. In characters
   * (default: 16 Ki, about two milliseconds).
   */
  readonly shortest?: number;
  /** The thread ends after this long without work, in ms (default: 60,000). */
  readonly idleMs?: number;
}

/** The labels of a result. Parts that could not be scanned are counted. */
export interface LabelledResult {
  readonly labels: readonly ResultLabel[];
  /** Number of characters that were not scanned: beyond the maximum length, or in a window whose thread was lost. */
  readonly unread: number;
}

/** Results are scanned in overlapping windows of this size, in characters. */
const windowSize = 64 * 1024;
const windowOverlap = 1024;
const maxResultLength = 8 * 1024 * 1024;
/** Maximum queue length; further texts are not scanned, so that a flood does not delay other scans. */
const maxWaiting = 400;
/** Maximum total length of results being scanned, in characters. */
const maxHeldLength = 64 * 1024 * 1024;

const unreadable: ScanReport = {
  verdict: 'review',
  findings: [
    {
      rule: 'not-scanned',
      place: '',
      words: '',
      tier: 'review',
      sentence: 'It could not be scanned: the scan ended without a result.',
    },
  ],
};

export class ScanThread {
  readonly #shortest: number;
  readonly #thread: RequestThread<ScanRequest, ScanResponse>;
  #heldLength = 0;

  constructor({ shortest = 16 * 1024, idleMs = 60_000 }: ScanThreadOptions = {}) {
    this.#shortest = shortest;
    this.#thread = new RequestThread({
      entry: resolveWorkerUrl('scan-worker', import.meta.url),
      memory: 512,
      idleTimeoutMs: idleMs,
    });
  }

  /** Whether a thread is running. */
  get running(): boolean {
    return this.#thread.isRunning;
  }

  /** Never rejects: a definition that could not be scanned needs review. */
  async definition(definition: unknown, kind: DefinitionKind): Promise<ScanReport> {
    const texts = textsOfDefinition(definition, kind);
    const length = texts.texts.reduce((sum, { text }) => sum + text.length, 0);
    if (length <= this.#shortest) return scanTexts(texts);
    const answer = await this.#ask({ definition: texts });
    return answer !== undefined && 'report' in answer ? answer.report : unreadable;
  }

  /** Never rejects. Up to 64 Ki characters are one window; labels of a longer text are determined window by window. */
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
      const answer = await this.#ask({ result: text.slice(start, end) });
      if (answer === undefined || !('labels' in answer)) unread += end - start;
      else labels.push(...answer.labels.map((label) => ({ ...label, at: label.at + start })));
    }
    return { labels: withoutRepeats(labels), unread };
  }

  /** Ends the thread; pending scans are dropped. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  /** Undefined if the thread was lost, or too many texts are waiting. */
  async #ask(request: ScanRequest): Promise<ScanResponse | undefined> {
    if (this.#thread.pending >= maxWaiting) return undefined;
    return this.#thread.request(request).catch(() => undefined);
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

/** Reports overlapping hits once, and each rule a few times at most. */
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
