/**
 * Installs Tooltray into a client app with one click, if the change only adds our own entry. Any other change is shown
 * in the dashboard first.
 */
import type { InstallOutcome, InstallPreview, RpcMethod, RpcMethods } from '../rpc/contract.ts';

interface InstallDeps {
  readonly ask: <M extends RpcMethod>(method: M, input: RpcMethods[M]['input']) => Promise<RpcMethods[M]['output']>;
  readonly openDashboard: (place: string) => void;
  /** Reports what was done, and how to view and undo it. */
  readonly report: (
    outcome: InstallOutcome,
    ways: { readonly showDiff: () => void; readonly undo: () => void },
  ) => void;
}

/** Rejects with AppError as `installApp` does. */
export async function installInto(app: string, { ask, openDashboard, report }: InstallDeps): Promise<void> {
  const preview = await ask('previewInstall', { app });
  const place = `setup/apps/${encodeURIComponent(app)}`;
  if (preview.warning !== undefined || !addsOnly(preview.diff)) return openDashboard(`${place}/connect`);
  const outcome = await ask('installApp', { app, revision: preview.revision });
  report(outcome, {
    // Shows the entry's lines, with the button that removes them.
    showDiff: () => openDashboard(`${place}/disconnect`),
    undo: () => void ask('undoInstall', { undo: outcome.undo }).catch(() => openDashboard(place)),
  });
}

/** Whether a change only adds lines: removed lines reappear with a comma, or were only brackets. */
export function addsOnly(diff: InstallPreview['diff']): boolean {
  const added = new Set(diff.flatMap(({ kind, text }) => (kind === 'added' ? [text] : [])));
  return diff.every(
    ({ kind, text }) => kind !== 'removed' || added.has(text) || added.has(`${text},`) || /^[\s{}[\]]*$/.test(text),
  );
}
