/**
 * Entry of the worker thread that reads kept answers: one question at a time, ended from outside when it takes too
 * long.
 */
import { parentPort } from 'node:worker_threads';
import type { ReadRequest } from './reader-messages.ts';
import { handleReadRequest } from './handle-read-request.ts';

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(handleReadRequest(request)));
