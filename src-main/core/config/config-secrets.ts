/** Which values of a config are nobody's to read. */
import { secretValues } from '../base/mask.ts';
import type { AppConfig } from './app-config.ts';

/** The secret values of a config, so that they can be hidden wherever they turn up. */
export function secretValuesOf(config: AppConfig): string[] {
  return config.servers.flatMap((server) => {
    if (server.kind === 'builtin') return [];
    if (server.kind === 'stdio') return secretValues(server.env);
    const { clientSecret = '' } = server.oauth ?? {};
    return [...secretValues(server.headers), ...(clientSecret === '' ? [] : [clientSecret])];
  });
}
