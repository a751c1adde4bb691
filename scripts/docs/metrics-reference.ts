/** docs/reference/metrics.md: the metrics of a replica's `/metrics`, as it describes them. */
import { Emitter } from '../../src-main/core/base/emitter.ts';
import { Metrics } from '../../src-main/team/operations/metrics.ts';
import { table, wrap } from './markdown.ts';

export function metricsReference(): string {
  const metrics = new Metrics({
    version: '1.0.0',
    activity: { recorded: new Emitter(), counted: new Emitter() },
    listener: () => undefined,
    port: () => undefined,
    connections: async () => 0,
    isReady: async () => true,
    config: { version: 'hash', counts: { problems: 0, refused: 0 } },
    personal: () => ({ running: 0, limit: 0, refused: { replica: 0, person: 0 } }),
    quotas: { refused: 0 },
  });
  const found = metrics.definitions();
  metrics.stop();
  const rows = found
    .filter(({ name }) => !/^(?:process|nodejs)_/.test(name))
    .map(({ name, type, labelNames, help }) => [
      `\`${name}\``,
      type,
      labelNames.map((label) => `\`${label}\``).join(', '),
      help,
    ]);
  return `# Metrics

${wrap('Each replica of a team serves metrics in the Prometheus text format at `/metrics`, on the address of `--metrics-listen`. Labels never contain names of users, servers, or tools.')}

\`\`\`sh
tooltray team serve --metrics-listen 127.0.0.1:8692
\`\`\`

${table(['metric', 'type', 'labels', 'meaning'], rows)}

${wrap('The metrics of the process and of Node.js (`process_*`, `nodejs_*`) are the default ones of [prom-client](https://github.com/siimon/prom-client).')}
`;
}
