/** `tooltray revoke APP`: takes a client app's access back; its config file stays as it is. */
import { runningCoreFor } from './core-access.ts';
import { withApps } from './open-cli-apps.ts';
import { oneLine } from './plain-text.ts';
import { printJson, printLines } from './print.ts';
import { commonFlags, readFlags } from './read-flags.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, commonFlags, [1, 1], form);
  const [app = ''] = positionals;
  const sentence = await revoke(app, values.config);
  if (values.json === true) printJson({ app, sentence });
  else printLines([oneLine(sentence), 'To give it back: tooltray install, or Allow in the dashboard’s settings.']);
  return 0;
}

/** By the core that runs, whatever its config: it is the one that has sessions to end. */
async function revoke(app: string, config: string | undefined): Promise<string> {
  const wish = { app, allowed: false };
  const core = await runningCoreFor(undefined);
  if (core === undefined) return withApps(config, async (setup) => (await setup.setAccess(wish)).sentence);
  try {
    return (await core.ask('setAccess', wish)).sentence;
  } finally {
    await core.close();
  }
}
