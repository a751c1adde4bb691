/**
 * `tooltray undo [ID]`: reverts the latest change to a client app or the one with this ID, or a rewritten tool
 * description.
 */
import { join, sep } from 'node:path';
import { AppError } from '../../core/base/errors.ts';
import type { Undoable } from '../../core/client-apps/undo-app-change.ts';
import { changeFlags, projectFlag, withApps } from '../cli-apps.ts';
import { command, type ParsedFlags } from '../command.ts';
import { withCore } from '../core-access.ts';
import { confirm, notAppliedMessage, oneLine, printResult, printJson, printLines } from '../terminal.ts';

export const undo = command({
  words: '[ID | SERVER:TOOL]',
  flags: {
    project: { ...projectFlag, help: 'Undo the last change in a project (default: current directory)' },
    ...changeFlags,
  },
  notes: ['SERVER:TOOL restores the original description of a tool (see `tooltray tools --rewritten`).'],
  run(flags, [wanted]) {
    // IDs of changes contain no colon.
    if (wanted?.includes(':') === true) return restoreDescription(wanted, flags);
    return withApps(flags, async (setup, project) => {
      const { dryRun, yes, json } = flags;
      const isInScope = ({ files }: Undoable): boolean =>
        project === undefined || files.some((file) => file.startsWith(join(project, sep)));
      const all = (await setup.undoable()).filter(isInScope);
      const change = wanted === undefined ? all[0] : all.find(({ undo: id }) => id === wanted);
      if (change === undefined) throw nothingToUndo(wanted);
      const { undo: id, about } = change;
      if (!json) printLines([`${new Date(change.at).toLocaleString()}: ${about} (${id})`]);
      const confirmed = dryRun ? undefined : await confirm('Undo this change?', yes);
      if (confirmed !== true) {
        if (json) printJson({ undo: id, about, done: false });
        else if (!dryRun) printLines([notAppliedMessage(confirmed)]);
        return dryRun ? 0 : 1;
      }
      const { sentence } = await setup.undoInstall({ undo: id });
      printResult(json, { undo: id, about, done: true, sentence }, () => [sentence]);
      return 0;
    });
  },
});

/** Shows both texts, asks for confirmation, and restores the server's original description for client apps. */
async function restoreDescription(
  id: string,
  { config, dryRun, yes, json }: ParsedFlags<typeof changeFlags>,
): Promise<number> {
  const [server = '', tool = ''] = id.split(/:(.*)/s, 2);
  return withCore(config, async (core) => {
    const { descriptions } = await core.ask('rewrittenDescriptions', {});
    const found = descriptions.find((one) => one.server === server && one.tool === tool);
    if (found === undefined) {
      throw new AppError('not_found', `${id} has no rewritten description.`, {
        fix: 'See tooltray tools --rewritten.',
      });
    }
    if (!json) printLines([`  written: ${oneLine(found.rewritten)}`, `  its own: ${oneLine(found.original)}`]);
    const answer = dryRun ? undefined : await confirm('Restore the original description?', yes);
    if (answer === true) await core.ask('restoreDescription', { server, tool });
    if (json) printJson({ ...found, done: answer === true });
    else if (!dryRun) printLines([answer === true ? 'Original description restored.' : notAppliedMessage(answer)]);
    return dryRun || answer === true ? 0 : 1;
  });
}

function nothingToUndo(id: string | undefined): AppError {
  const what = id === undefined ? 'Nothing to undo.' : `Change "${id}" not found.`;
  return new AppError('not_found', what, { fix: 'Check the ID. The change may already be undone or expired.' });
}
