/** How probes are told: a table with what failed below it, or as data. */
import type { Masker } from '../core/base/mask-secrets.ts';
import type { ServerConfig } from '../core/config/app-config.ts';
import { columns } from './columns.ts';
import { oneLine, plainText } from './plain-text.ts';
import { paint } from './print.ts';
import type { Failed, Probe } from '../core/servers/probe-connection.ts';

/** `off`: servers that were left out because they are switched off. Nothing at all without either. */
export function probeLines(probes: readonly Probe[], off: readonly ServerConfig[], masker: Masker): string[] {
  const head = ['NAME', 'RESULT', 'TOOLS', 'PROTOCOL', 'TIME'].map((word) => paint('head', word));
  const rows = [...probes.map(row), ...off.map(({ name }) => [oneLine(name), paint('quiet', 'off'), '-', '-', '-'])];
  if (rows.length === 0) return [];
  const below = probes.flatMap((probe) => notes(probe, masker));
  return [...columns([head, ...rows]), ...(below.length > 0 ? ['', ...below] : [])];
}

export function probeData(probe: Probe, masker: Masker): Record<string, unknown> {
  const { name } = probe.server;
  if (isFailed(probe)) {
    const { code } = probe.error;
    return {
      name,
      ok: false,
      ms: probe.ms,
      error: { code, message: masker.maskText(failureText(probe)) },
      stderr: probe.stderr,
    };
  }
  const { era, protocolVersion, serverInfo } = probe.handshake;
  const { tools, resources, prompts } = probe.listing;
  const counts = { tools: tools.length, resources: resources.length, prompts: prompts.length };
  return { name, ok: true, ms: probe.ms, era, protocolVersion, ...counts, serverInfo, problems: probe.problems };
}

export function isFailed(probe: Probe): probe is Failed {
  return 'error' in probe;
}

/** The reason and what to do; begins with the server's name. */
export function failureText({ server, error }: Failed): string {
  const { text } = error;
  return text.startsWith(server.name) ? text : `${server.name}: ${text}`;
}

function row(probe: Probe): string[] {
  const name = oneLine(probe.server.name);
  const time = `${(probe.ms / 1000).toFixed(1)} s`;
  if (isFailed(probe)) return [name, paint('bad', 'failed'), '-', '-', time];
  const { protocolVersion, era } = probe.handshake;
  return [name, paint('good', 'ok'), String(probe.listing.tools.length), `${protocolVersion} (${era})`, time];
}

function notes(probe: Probe, masker: Masker): string[] {
  const name = oneLine(probe.server.name);
  if (!isFailed(probe))
    return probe.problems.map((problem) => `${paint('unsure', name)}: ${oneLine(masker.maskText(problem))}`);
  const said = probe.stderr.map((line) => `  ${paint('quiet', '|')} ${plainText(line)}`);
  return [oneLine(masker.maskText(failureText(probe))), ...said];
}
