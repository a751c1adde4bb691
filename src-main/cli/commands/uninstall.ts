/**
 * `tooltray uninstall APP`: removes Tooltray's entry from a client app; `--all` from every app, before Tooltray
 * itself is uninstalled.
 */
import { changeFlags, diffText, projectFlag, undoLines, withApps } from '../cli-apps.ts';
import { command, usageError } from '../command.ts';
import { uninstallAll } from '../uninstall-all.ts';
import { confirm, notAppliedMessage, printResult, printJson, printLines } from '../terminal.ts';

export const uninstall = command({
  words: '[APP]',
  flags: {
    all: { help: 'Disconnect every client app, remove secrets and the login item, and stop Tooltray' },
    quiet: { help: 'all: skip confirmation and print problems only' },
    project: projectFlag,
    ...changeFlags,
  },
  run: (flags, [app = '']) => {
    if (flags.all) return uninstallAll(flags);
    if (app === '') throw usageError('Name a client app, or write --all');
    return withApps(flags, async (apps, project) => {
      const { dryRun, yes, json } = flags;
      const setup = project === undefined ? apps : apps.inProject(project);
      const { diff, revision } = await setup.previewUninstall({ app });
      if (!json) printLines(diff.map(diffText));
      const isUnchanged = diff.length === 0;
      const answer = isUnchanged || dryRun ? undefined : await confirm('Apply this change?', yes);
      if (answer !== true && !isUnchanged) {
        if (json) printJson({ diff, written: false });
        else if (!dryRun) printLines([notAppliedMessage(answer)]);
        return dryRun ? 0 : 1;
      }
      const outcome = await setup.uninstallApp({ app, revision });
      printResult(json, { diff, ...outcome, written: !isUnchanged }, () => [
        outcome.sentence,
        ...undoLines(outcome.undo, outcome.backup),
      ]);
      return 0;
    });
  },
});
