/** docs/reference/metrics.md: what `/metrics` of a replica reports, as it writes it. */
import { Emitter } from '../../src-main/core/base/emitter.ts';
import { Metrics } from '../../src-main/team/operations/metrics.ts';
import { table, wrap } from './markdown.ts';

export async function metricsReference(): Promise<string> {
  const metrics = new Metrics({
    version: '1.0.0',
    activity: { recorded: new Emitter(), counted: new Emitter() },
    listener: () => undefined,
    connections: async () => 0,
    isReady: async () => true,
    config: { version: 'hash', counts: { problems: 0, refused: 0 } },
    droppedSpans: () => 0,
    personal: () => ({ running: 0, limit: 0, refused: { replica: 0, person: 0 } }),
    quotas: { refused: 0 },
  });
  const text = await metrics.text();
  metrics.stop();
  const labels = new Map([...text.matchAll(/^(\w+)\{(\w+)=/gm)].map(([, name = '', label = '']) => [name, label]));
  // A percentile is written only after the event loop has been measured.
  labels.set('tooltray_event_loop_delay_seconds', 'quantile');
  const rows = [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)].map(
    ([, name = '', help = '', type = '']) => {
      const label = labels.get(name);
      return [`\`${name}\``, type, label === undefined ? '' : `\`${label}\``, help];
    },
  );
  return `# Metrics

${wrap('Each replica of a team serves metrics in the Prometheus text format at `/metrics`, on the address of `--metrics-listen`. Labels never contain names of users, servers, or tools.')}

\`\`\`sh
tooltray team serve --metrics-listen 127.0.0.1:8692
\`\`\`

${table(['metric', 'type', 'label', 'meaning'], rows)}
`;
}
