/** Ends the core of TOOLTRAY_HOME, whoever started it. */
import { findRunningCore } from '../../src-main/cli/core-access.ts';

const core = await findRunningCore();
await core?.ask('stop', {});
await core?.close();
for (let other = core; other !== undefined; other = await findRunningCore()) {
  await other.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
}
