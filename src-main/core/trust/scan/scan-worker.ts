/**
 * Entry of the scan thread: receives texts of a definition and returns a report, or receives the text of a result and
 * returns labels.
 */
import { parentPort } from 'node:worker_threads';
import type { ScanReport } from './scan-finding.ts';
import type { DefinitionTexts } from './definition-texts.ts';
import { type ResultLabel, scanResult, scanTexts } from './scan.ts';

export type ScanRequest = { readonly definition: DefinitionTexts } | { readonly result: string };

export type ScanResponse = { readonly number: number } & (
  | { readonly report: ScanReport }
  | { readonly labels: readonly ResultLabel[] }
);

parentPort?.on('message', (request: ScanRequest & { readonly number: number }) => {
  const { number } = request;
  const response: ScanResponse =
    'result' in request
      ? { number, labels: scanResult(request.result) }
      : { number, report: scanTexts(request.definition) };
  parentPort?.postMessage(response);
});
