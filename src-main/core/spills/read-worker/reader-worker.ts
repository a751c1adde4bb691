/**
 * Entry point of the worker thread that reads spills: handles one query at a time, and is terminated from outside if a
 * query takes too long.
 */
import { parentPort } from 'node:worker_threads';
import type { ReadRequest } from './reader-messages.ts';
import { handleReadRequest } from './handle-read-request.ts';

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(handleReadRequest(request)));
