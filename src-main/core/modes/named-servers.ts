/** Servers by name for instructions: as many as a mode's fixed cost leaves room for. */
import { cutText } from './cut-text.ts';

/** In characters; about 30 tokens. */
const room = 120;

export function namedServers(servers: readonly string[]): string {
  if (servers.length === 0) return 'none yet';
  const all = servers.join(', ');
  if (all.length <= room) return all;
  const whole = servers.filter((_, index) => servers.slice(0, index + 1).join(', ').length <= room);
  if (whole.length === 0) return cutText(all, room);
  return `${whole.join(', ')} and ${servers.length - whole.length} more`;
}
