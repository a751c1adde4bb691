/** The secret values of a config, so that they can be hidden wherever they turn up. */
import { secretValues } from '../base/secret-values.ts';
import type { AppConfig } from './app-config.ts';

export function secretsOf(config: AppConfig): string[] {
  return config.servers.flatMap((server) => {
    if (server.kind === 'builtin') return [];
    if (server.kind === 'stdio') return secretValues(server.env);
    const { clientSecret = '' } = server.oauth ?? {};
    return [...secretValues(server.headers), ...(clientSecret === '' ? [] : [clientSecret])];
  });
}
