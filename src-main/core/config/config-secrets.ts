/** Collects the secret values of a config. */
import { opaqueSecrets, secretValues } from '../base/mask.ts';
import type { AppConfig } from './app-config.ts';

/** The secret values of a config, to mask them everywhere. */
export function secretValuesOf(config: AppConfig): string[] {
  return config.servers.flatMap((server) => {
    if (server.kind === 'builtin') return [];
    if (server.kind === 'stdio') return [...secretValues(server.env), ...opaqueSecrets(server)];
    const { clientSecret = '' } = server.oauth ?? {};
    return [...secretValues(server.headers), ...opaqueSecrets(server), ...(clientSecret === '' ? [] : [clientSecret])];
  });
}
