/** Where a server is reached, as people read it: its command line or its address, secrets masked. */
import { Masker } from '../core/base/mask-secrets.ts';
import { secretValues } from '../core/base/secret-values.ts';
import type { ServerConfig } from '../core/config/app-config.ts';

export function endpointOf(server: ServerConfig): string {
  if (server.kind === 'builtin') return server.builtin;
  const masker = new Masker(secretValues(server.kind === 'stdio' ? server.env : server.headers));
  if (server.kind !== 'stdio') return masker.maskText(server.url);
  const words = masker.maskObject([server.command, ...server.args]) as string[];
  return words.map(quote).join(' ');
}

/** Words that a shell would take apart are shown as one. */
function quote(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word);
}
