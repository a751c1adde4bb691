/** How far a person has come with setting up. */
import { firstAppCall } from '../../core/activity/call-queries.ts';
import type { Aggregator } from '../../core/aggregator.ts';
import { nameOfApp } from '../../core/modes/client-app-facts.ts';
import type { AppsService } from '../apps-service.ts';
import type { SetupFacts } from '../contract.ts';

export async function setupFacts(core: Aggregator, apps: AppsService): Promise<SetupFacts> {
  const found = await apps.apps();
  const offered = await apps.offeredServers({}).then(
    ({ servers }) => servers.filter(({ already }) => already === undefined).length,
    () => 0,
  );
  const firstCall = core.activity.query(firstAppCall);
  const isConnected = found.some(({ connected }) => connected === 'yes') || core.sessions.all.length > 0;
  const isOwnAlone = core.servers.all.every(({ config }) => config.kind === 'builtin');
  const open = [!isConnected, isOwnAlone, firstCall === undefined].filter(Boolean).length;
  return { apps: found, offered, firstCall: firstCall && { ...firstCall, app: nameOfApp(firstCall.app) }, open };
}
