/** `tooltray revoke APP`: takes a client app's access back; its config file stays as it is. */
import { withApps } from '../cli-apps.ts';
import { command, commonFlags } from '../command.ts';
import { findRunningCore } from '../core-access.ts';
import { oneLine, printResult } from '../terminal.ts';

export const revoke = command({
  words: 'APP',
  flags: commonFlags,
  notes: [
    'Invalidates its token, rejects `stdio --app APP` and ends open sessions.',
    'Restore access with `tooltray install APP` or in the dashboard settings.',
  ],
  async run({ config, json }, [app = '']) {
    const sentence = await setAccess(app, config);
    printResult(json, { app, sentence }, () => [
      oneLine(sentence),
      'To give it back: tooltray install, or Allow in the dashboard’s settings.',
    ]);
    return 0;
  },
});

/** Uses the running core, if any, whatever its config: it has the sessions to end. */
async function setAccess(app: string, config: string | undefined): Promise<string> {
  const wish = { app, allowed: false };
  const core = await findRunningCore();
  if (core === undefined) return withApps({ config }, async (setup) => (await setup.setAccess(wish)).sentence);
  try {
    return (await core.ask('setAccess', wish)).sentence;
  } finally {
    await core.close();
  }
}
