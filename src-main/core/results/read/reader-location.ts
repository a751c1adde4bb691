/** Where the entries that read kept answers lie, among the sources and in the build. */
import { workerLocation } from '../../base/worker-location.ts';

export interface ReaderEntries {
  /** Of the threads. */
  readonly worker: URL;
  /** Of the processes that big data is given to. */
  readonly process: URL;
}

export function readerEntries(): ReaderEntries {
  return {
    worker: workerLocation('reader-worker', import.meta.url),
    process: workerLocation('data-worker', import.meta.url),
  };
}
