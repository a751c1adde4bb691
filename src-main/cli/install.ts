/** `tooltray install APP`: connects a client app; the change is shown first, tried by a real handshake, and can be undone. */
import type { InstallPreview } from '../rpc/contract.ts';
import { confirm, notDone } from './confirm.ts';
import { diffText } from './diff-text.ts';
import { withApps } from './open-cli-apps.ts';
import { paint, printJson, printLines, printProgress } from './print.ts';
import { readProjectFlag } from './project-flag.ts';
import { changeFlags, readFlags } from './read-flags.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const flags = { ...changeFlags, http: { type: 'boolean' } } as const;
  const { project, rest } = await readProjectFlag(args);
  const { values, positionals } = readFlags(rest, flags, [1, 1], form);
  const [app = ''] = positionals;
  const json = values.json === true;
  // Without the flag an app that has an address keeps it.
  const wish = { app, ...(values.http === true && { http: true }) };
  return withApps(values.config, async (apps) => {
    const setup = project === undefined ? apps : apps.inProject(project);
    const preview = await setup.previewInstall(wish);
    if (!json) printLines(previewLines(preview));
    const isNew = preview.diff.length > 0;
    if (!(isNew || preview.app.revoked) || values['dry-run'] === true) {
      if (json) printJson({ ...preview, written: false });
      return 0;
    }
    const question = isNew ? `Change ${preview.file}?` : `Give ${preview.app.name} its access back?`;
    const answer = await confirm(question, values.yes);
    if (answer !== true) {
      if (json) printJson({ ...preview, written: false });
      else printLines([notDone(answer)]);
      return 1;
    }
    if (isNew) printProgress('Trying what was written …');
    const outcome = await setup.installApp({ ...wish, revision: preview.revision });
    if (json) printJson({ ...preview, ...outcome, written: isNew });
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
  const revoked = app.revoked ? [`The access of ${app.name} was revoked; this gives it back.`] : [];
  if (diff.length === 0) return [`${app.name} is connected already, in ${file}.`, ...revoked];
  const notes = warning === undefined ? [] : [paint('unsure', warning)];
  return [`${file}:`, ...diff.map(diffText), ...revoked, ...notes];
}
