/** `tooltray install APP`: connects a client app after showing the change; tests the connection, and can be undone. */
import type { InstallPreview } from '../../core/client-apps/app-rows.ts';
import { changeFlags, diffText, projectFlag, undoLines, withApps } from '../cli-apps.ts';
import { command, usageError } from '../command.ts';
import { confirm, notAppliedMessage, paint, printResult, printJson, printLines, printProgress } from '../terminal.ts';

export const install = command({
  words: 'APP',
  flags: {
    http: {
      help: 'Use HTTP with a dedicated token instead of stdio (stdio also starts Tooltray when needed)',
    },
    split: { help: 'Write one entry per server (default for apps that load tools when needed)' },
    merged: { help: 'Write one entry for all servers' },
    project: projectFlag,
    ...changeFlags,
  },
  notes: [
    'APP is an ID from `tooltray apps`: claude-desktop, cursor, vscode, …',
    'Restores access for a revoked app. To switch from HTTP back to stdio, uninstall the app first.',
  ],
  run: (flags, [app = '']) =>
    withApps(flags, async (apps, project) => {
      const { http, split, merged, dryRun, yes, json } = flags;
      if (split && (merged || project !== undefined))
        throw usageError(`--split cannot be combined with ${merged ? '--merged' : '--project'}.`);
      // Without flags, the existing kind of entry is kept.
      const wish = { app, ...(http && { http }), ...(split && { split }), ...(merged && { split: false }) };
      const setup = project === undefined ? apps : apps.inProject(project);
      const preview = await setup.previewInstall(wish);
      if (!json) printLines(previewLines(preview));
      const isNew = preview.diff.length > 0;
      if (!(isNew || preview.app.revoked) || dryRun) {
        if (json) printJson({ ...preview, written: false });
        return 0;
      }
      const question = isNew ? `Write ${preview.file}?` : `Restore access for ${preview.app.name}?`;
      const answer = await confirm(question, yes);
      if (answer !== true) {
        printResult(json, { ...preview, written: false }, () => [notAppliedMessage(answer)]);
        return 1;
      }
      if (isNew) printProgress('Testing the connection…');
      const outcome = await setup.installApp({ ...wish, revision: preview.revision });
      printResult(json, { ...preview, ...outcome, written: isNew }, () => [
        outcome.sentence,
        ...undoLines(outcome.undo, outcome.backup),
      ]);
      return 0;
    }),
});

function previewLines({ app, file, diff, warning, split, splitReason }: InstallPreview): string[] {
  const revoked = app.revoked ? [`Access for ${app.name} was revoked; this restores it.`] : [];
  if (diff.length === 0) return [`${app.name} is already connected (${file}).`, ...revoked];
  const tip =
    splitReason === undefined
      ? []
      : [`${splitReason} ${split ? 'Use --merged for a single entry.' : 'Use --split for that.'}`];
  const notes = [...(warning === undefined ? [] : [paint('unsure', warning)]), ...tip];
  return [`${file}:`, ...diff.map(diffText), ...revoked, ...notes];
}
