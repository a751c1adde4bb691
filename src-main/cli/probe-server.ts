/** Probes servers without a running core: what `test`, `doctor` and `build-cache` do. */
import { join } from 'node:path';
import { Masker } from '../core/base/mask-secrets.ts';
import type { AppConfig, ServerConfig } from '../core/config/app-config.ts';
import { secretsOf } from '../core/config/secrets-of.ts';
import { ProcessRegistry } from '../core/servers/launch/process-registry.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { type Probe, probeConnection } from '../core/servers/probe-connection.ts';
import { SignIns } from '../core/servers/sign-in/sign-ins.ts';
import { StartSlots } from '../core/servers/start-slots.ts';
import { TransportFactory } from '../core/servers/transports/transport-factory.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { exitOnSignal } from './exit-on-signal.ts';
import { cliPaths } from './open-cli-config.ts';

const atOnce = 10;

/** Probes servers of `config`, ten at a time; the answers come in the order asked for. */
export function probeServers(servers: readonly ServerConfig[], config: AppConfig): Promise<Probe[]> {
  const slots = new StartSlots(atOnce);
  return withTransports(config, (transports) =>
    Promise.all(servers.map((server) => slots.run(() => probeConnection(server, transports, packageJson.version)))),
  );
}

/** Lets `work` connect to servers from this process; all that it started is ended when it is done. */
export async function withTransports<T>(
  config: AppConfig,
  work: (transports: TransportFactory) => Promise<T>,
): Promise<T> {
  exitOnSignal();
  const masker = new Masker(secretsOf(config));
  const mask = (text: string): string => masker.maskText(text);
  const registry = new ProcessRegistry();
  const environment = new EnvironmentResolver({ own: process.env });
  // A running core writes its servers' logs; ours go beside them.
  const logDir = join(cliPaths().logDir, 'probes');
  const signIns = new SignIns({ folder: join(cliPaths().dataDir, 'sign-ins'), env: process.env });
  signIns.secretsChanged.on(() => masker.setSecrets([...secretsOf(config), ...signIns.secrets]));
  const transports = new TransportFactory({ env: process.env, registry, environment, logDir, mask, signIns });
  try {
    return await work(transports);
  } finally {
    signIns.close();
    registry.killAll();
    registry.dispose();
  }
}
