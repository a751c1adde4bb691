/** The five groups of a core. A consumer takes the group it uses, or a part of it. */
import type { CoreContext } from './core-context.ts';
import type { Activity } from './create-activity.ts';
import type { CallsGroup } from './create-calls.ts';
import type { ClientsGroup } from './create-clients.ts';
import type { ServersGroup } from './create-server-admin.ts';
import type { TrustGroup } from './create-trust.ts';

/** Records of calls, steps, payloads, and savings. */
export interface ActivityGroup extends Pick<Activity, 'ledger' | 'timeline'> {
  /** Records of calls, steps, and payloads. */
  readonly log: Activity['activity'];
}

/** The parts of a core, by what they are about. */
export interface CoreGroups {
  readonly context: CoreContext;
  readonly servers: ServersGroup;
  readonly calls: CallsGroup;
  readonly activity: ActivityGroup;
  readonly trust: TrustGroup;
  readonly clients: ClientsGroup;
}

/** The groups alone, without the means to start and close the core. */
export function coreGroups({ context, servers, calls, activity, trust, clients }: CoreGroups): CoreGroups {
  return { context, servers, calls, activity, trust, clients };
}
