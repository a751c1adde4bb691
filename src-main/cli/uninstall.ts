/** `tooltray uninstall APP`: takes our entry out of a client app again. */
import { confirm, notDone } from './confirm.ts';
import { diffText } from './diff-text.ts';
import { undoLines } from './install.ts';
import { withApps } from './open-cli-apps.ts';
import { printJson, printLines } from './print.ts';
import { readProjectFlag } from './project-flag.ts';
import { changeFlags, readFlags } from './read-flags.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { project, rest } = await readProjectFlag(args);
  const { values, positionals } = readFlags(rest, changeFlags, [1, 1], form);
  const [app = ''] = positionals;
  const json = values.json === true;
  return withApps(values.config, async (apps) => {
    const setup = project === undefined ? apps : apps.inProject(project);
    const diff = await setup.previewUninstall(app);
    if (!json) printLines(diff.map(diffText));
    const isNothing = diff.length === 0;
    const answer = isNothing || values['dry-run'] === true ? undefined : await confirm('Change it?', values.yes);
    if (answer !== true && !isNothing) {
      if (json) printJson({ diff, written: false });
      else if (values['dry-run'] !== true) printLines([notDone(answer)]);
      return values['dry-run'] === true ? 0 : 1;
    }
    const outcome = await setup.uninstallApp({ app });
    if (json) printJson({ diff, ...outcome, written: !isNothing });
    else printLines([outcome.sentence, ...undoLines(outcome.undo, outcome.backup)]);
    return 0;
  });
}
