/** Tries an entry of a config as it would be, in a temporary connection; nothing is written and no server is touched. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { probeConnection } from '../servers/probe-connection.ts';
import type { TransportFactory } from '../servers/transports/transport-factory.ts';

export interface EntryTrial {
  readonly ok: boolean;
  /** How it went, for people. */
  readonly sentence: string;
  readonly tools: readonly string[];
  readonly tookMs: number;
  /** Last words of a server that did not answer, oldest first, masked. */
  readonly stderr: readonly string[];
}

/** Its log is kept apart from that of the server the entry may replace. */
const trialName = 'trial';

/** Rejects with AppError config_invalid where it is no entry. */
export async function tryEntry(
  entry: JsonObject,
  {
    config,
    transports,
    version,
  }: { readonly config: ConfigStore; readonly transports: TransportFactory; readonly version: string },
): Promise<EntryTrial> {
  const reading = config.tryText(
    JSON.stringify({ servers: { [trialName]: { ...entry, enabled: true, disabled: false } } }),
  );
  const [server] = reading.config?.servers ?? [];
  const problem = reading.problems.find(({ severity }) => severity === 'error');
  if (server === undefined || problem !== undefined) {
    throw new AppError('config_invalid', problem?.reason ?? 'This is not a server.', {
      ...(problem?.suggestion !== undefined && { fix: problem.suggestion }),
    });
  }
  const probe = await probeConnection(server, transports, version);
  const { ms: tookMs } = probe;
  if ('error' in probe)
    return { ok: false, sentence: aboutIt(probe.error.text), tools: [], tookMs, stderr: probe.stderr };
  const tools = probe.listing.tools.map(({ name }) => String(name));
  const sentence = `It answered in ${tookMs} ms with ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}.`;
  return { ok: true, sentence: [sentence, ...probe.problems].join(' '), tools, tookMs, stderr: [] };
}

/** The name that it has for the trial is none that people know. */
function aboutIt(text: string): string {
  return text.replace(new RegExp(`^${trialName}: `), '').replace(new RegExp(`^${trialName}(?= )`), 'It');
}
