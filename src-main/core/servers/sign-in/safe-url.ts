/** Which addresses a sign-in may lead to: what a server says must not make us, or a browser, go anywhere else. */
import { isLoopback } from '../transports/is-loopback.ts';

/** https; on this machine also http, but only for a server that is on this machine itself. */
export function isSafeUrl(url: URL, serverUrl: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (isLoopback(url.hostname)) return isLoopback(serverUrl.hostname) && /^https?:$/.test(url.protocol);
  return url.protocol === 'https:';
}
