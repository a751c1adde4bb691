/**
 * Entry of the scan thread: receives texts of a definition and returns a report, or receives the text of a result and
 * returns labels.
 */
import { parentPort } from 'node:worker_threads';
import type { ScanReport } from './scan-finding.ts';
import type { DefinitionTexts } from './definition-texts.ts';
import { type ResultLabel, scanResult, scanTexts } from './scan.ts';

export type ScanRequest =
  | { readonly id: number; readonly definition: DefinitionTexts }
  | { readonly id: number; readonly result: string };

export type ScanResponse =
  | { readonly id: number; readonly report: ScanReport }
  | { readonly id: number; readonly labels: readonly ResultLabel[] };

parentPort?.on('message', (question: ScanRequest) => {
  const { id } = question;
  const answer: ScanResponse =
    'result' in question ? { id, labels: scanResult(question.result) } : { id, report: scanTexts(question.definition) };
  parentPort?.postMessage(answer);
});
