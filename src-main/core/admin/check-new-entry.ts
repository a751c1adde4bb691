/** Whether an entry that is not in the config yet could work there; starts nothing. */
import { AppError } from '../base/errors.ts';
import { maskText } from '../base/mask-secrets.ts';
import type { JsonObject } from '../base/json.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';
import { missingCommand } from './check-entries.ts';

/** Rejects with AppError config_invalid or command_not_found. */
export async function checkNewEntry(
  name: string,
  entry: JsonObject,
  config: ConfigStore,
  environment: EnvironmentResolver,
): Promise<void> {
  const reading = config.tryText(JSON.stringify({ servers: { [name]: entry } }));
  const [server] = reading.config?.servers ?? [];
  const problem = reading.problems.find(({ severity }) => severity === 'error');
  if (problem !== undefined || server === undefined) {
    const reason = maskText(problem?.reason ?? 'It is not a server.');
    throw new AppError('config_invalid', reason, { ...(problem?.suggestion && { fix: problem.suggestion }) });
  }
  const missing = await missingCommand(server, environment);
  if (missing !== undefined) throw new AppError('command_not_found', missing);
}
