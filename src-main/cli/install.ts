/** `tooltray install APP`: connects a client app; the change is shown first, tried by a real handshake, and can be undone. */
import type { InstallPreview } from '../rpc/contract.ts';
import { confirm, notDone } from './confirm.ts';
import { diffText } from './diff-text.ts';
import { withApps } from './open-cli-apps.ts';
import { paint, printJson, printLines, printProgress } from './print.ts';
import { changeFlags, readFlags } from './read-flags.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, changeFlags, [1, 1], form);
  const [app = ''] = positionals;
  const json = values.json === true;
  return withApps(values.config, async (setup) => {
    const preview = await setup.previewInstall({ app });
    if (!json) printLines(previewLines(preview));
    if (preview.diff.length === 0 || values['dry-run'] === true) {
      if (json) printJson({ ...preview, written: false });
      return 0;
    }
    const answer = await confirm(`Change ${preview.file}?`, values.yes);
    if (answer !== true) {
      if (json) printJson({ ...preview, written: false });
      else printLines([notDone(answer)]);
      return 1;
    }
    printProgress('Trying what was written …');
    const outcome = await setup.installApp({ app, revision: preview.revision });
    if (json) printJson({ ...preview, ...outcome, written: true });
    else printLines([outcome.sentence, ...undoLines(outcome.undo, outcome.backup)]);
    return 0;
  });
}

export function undoLines(undo: string, backup: string): string[] {
  if (undo === '') return [];
  const before = backup === '' ? 'There was no file before.' : `As it was before: ${backup}`;
  return [before, `To take it back: tooltray undo ${undo}`];
}

function previewLines({ app, file, diff, warning }: InstallPreview): string[] {
  if (diff.length === 0) return [`${app.name} is connected already, in ${file}.`];
  const notes = warning === undefined ? [] : [paint('unsure', warning)];
  return [`${file}:`, ...diff.map(diffText), ...notes];
}
