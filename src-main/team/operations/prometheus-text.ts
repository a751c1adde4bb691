/** Measures as text for Prometheus. Source: Prometheus, exposition formats, text format 0.0.4. */

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** Each with its labels; a label has few values, and none that anybody outside can choose. */
  readonly values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

export function prometheusText(measures: readonly Metric[]): string {
  return measures.map(lines).join('');
}

/** One without labels. */
export function single(name: string, type: Metric['type'], help: string, value: number): Metric {
  return { name, type, help, values: [{ value }] };
}

/** One that differs by a label. */
export function byLabel(
  name: string,
  type: Metric['type'],
  help: string,
  label: string,
  counts: Iterable<readonly [string, number]>,
): Metric {
  return { name, type, help, values: [...counts].map(([of, value]) => ({ labels: { [label]: of }, value })) };
}

function lines({ name, help, type, values }: Metric): string {
  const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
  return head + values.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}\n`).join('');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return all.length === 0 ? '' : `{${all.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
