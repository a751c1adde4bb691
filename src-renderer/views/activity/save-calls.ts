/** Saves calls to a file. */
import { api } from '../../lib/api.ts';
import { whole } from '../../lib/format.ts';
import { saveText } from '../../lib/save-text.ts';
import type { ToastStore } from '../../lib/toasts.svelte.ts';
import { type CallFilter, toSearch } from './call-filter.ts';
import { type ExportFormat, exportText, readAllCalls } from './export-calls.ts';

/**
 * All that match the filter. `onprogress`: progress such as `1,000 of 5,200`. Never rejects; errors are shown in a
 * toast.
 */
export async function saveCalls(
  filter: CallFilter,
  format: ExportFormat,
  toasts: ToastStore,
  onprogress: (progress: string) => void = () => undefined,
): Promise<void> {
  const read = async (): Promise<void> => {
    const calls = await readAllCalls(
      (query) => api.ask('activity', query),
      toSearch(filter),
      (read, total) => onprogress(`${whole(read)} of ${whole(total)}`),
    );
    const day = new Date().toISOString().slice(0, 10);
    const type = format === 'json' ? 'application/json' : 'text/csv';
    saveText(exportText(calls, format), `tooltray-calls-${day}.${format}`, type);
  };
  await toasts.attempt(read, ({ message }) => `Export failed: ${message}`);
}
