/** Reconnects a server if an administrator requested it on any replica and it is unhealthy here. */
import type { CoreGroups } from '../../core/edition.ts';
import { retryTopic } from './server-service.ts';
import type { ChangeFeed } from '../database/change-feed.ts';

interface FollowRetriesParts {
  readonly changes: Pick<ChangeFeed, 'changed'>;
  readonly core: () => Pick<CoreGroups, 'servers'>;
}

/** Returns a function that stops it. */
export function followRetries({ changes, core }: FollowRetriesParts): () => void {
  return changes.changed.on((change) => {
    if (!change.topic.startsWith(retryTopic)) return;
    const name = change.topic.slice(retryTopic.length);
    const server = core().servers.manager.find(name);
    if (server?.health.level !== 'error' && server?.health.level !== 'attention') return;
    core().servers.transports.log(name).appendEvent('Restarted by an administrator.');
    // Failures are shown in its status.
    void server.retry().catch(() => undefined);
  });
}
