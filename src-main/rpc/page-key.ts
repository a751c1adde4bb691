/** The key that lets a person's browser in: in the link that only they are shown, and nowhere on disk. */
import { createHmac } from 'node:crypto';

/** The same as long as the core's token is: a page that is open outlives a restart of the core. It opens no MCP endpoint. */
export function pageKey(token: string): string {
  return createHmac('sha256', token).update('dashboard').digest('base64url');
}
