/** `tooltray undo [ID]`: takes back what was done to a client app, the last change or the one named. */
import { join, sep } from 'node:path';
import { AppError } from '../core/base/errors.ts';
import type { Undoable } from '../core/client-apps/undo-list.ts';
import { confirm, notDone } from './confirm.ts';
import { withApps } from './open-cli-apps.ts';
import { printJson, printLines } from './print.ts';
import { readProjectFlag } from './project-flag.ts';
import { changeFlags, readFlags } from './read-flags.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { project, rest } = await readProjectFlag(args);
  const { values, positionals } = readFlags(rest, changeFlags, [0, 1], form);
  const json = values.json === true;
  return withApps(values.config, async (setup) => {
    const isMeant = ({ files }: Undoable): boolean =>
      project === undefined || files.some((file) => file.startsWith(join(project, sep)));
    const all = (await setup.undoable()).filter(isMeant);
    const [wanted] = positionals;
    const change = wanted === undefined ? all[0] : all.find(({ undo }) => undo === wanted);
    if (change === undefined) throw nothingToUndo(wanted);
    const { undo, about } = change;
    if (!json) printLines([`${new Date(change.at).toLocaleString()}: ${about} (${undo})`]);
    const isDry = values['dry-run'] === true;
    const answer = isDry ? undefined : await confirm('Take it back?', values.yes);
    if (answer !== true) {
      if (json) printJson({ undo, about, done: false });
      else if (!isDry) printLines([notDone(answer)]);
      return isDry ? 0 : 1;
    }
    const { sentence } = await setup.undoInstall({ undo });
    if (json) printJson({ undo, about, done: true, sentence });
    else printLines([sentence]);
    return 0;
  });
}

function nothingToUndo(id: string | undefined): AppError {
  const what = id === undefined ? 'Nothing was done that could be taken back.' : `There is no change "${id}".`;
  return new AppError('not_found', what, { fix: 'It was taken back already, or it is too long ago.' });
}
