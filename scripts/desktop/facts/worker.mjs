/** A thread of the facts: says that it runs. */
import { parentPort } from 'node:worker_threads';

parentPort.postMessage('runs');
