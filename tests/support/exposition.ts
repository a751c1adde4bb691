/** A strict parser for Prometheus' text format. Source: Prometheus, exposition formats, text format 0.0.4. */
import { expect } from 'vitest';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/** Fails the test at the first line that is invalid, or does not belong to the preceding family. */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  expect(text.endsWith('\n')).toBe(true);
  const families = new Map<string, Family>();
  let help: readonly [string, string] | undefined;
  let current: Family | undefined;
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      help = [name, rest];
    } else if (kind === 'TYPE') {
      expect([line, help?.[0], families.has(name)]).toEqual([line, name, false]);
      current = { name, type: rest, help: help?.[1] ?? '', samples: [] };
      families.set(name, current);
    } else {
      const read = readSample(line);
      const suffixes = current?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      expect(suffixes.map((suffix) => `${current?.name}${suffix}`)).toContain(read.name);
      current?.samples.push(read);
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

function readSample(line: string): Sample {
  const [, name, labels = '', value = ''] = sample.exec(line) ?? [];
  expect([line, name !== undefined, value !== '' && !Number.isNaN(toNumber(value))]).toEqual([line, true, true]);
  const found: Record<string, string> = {};
  label.lastIndex = 0;
  for (let at = 0; at < labels.length; at = label.lastIndex) {
    const [, key = '', written = ''] = label.exec(labels) ?? [];
    expect([line, key !== '' && !(key in found)]).toEqual([line, true]);
    found[key] = written;
  }
  return { name: name ?? '', labels: found, value: toNumber(value) };
}

function toNumber(text: string): number {
  return text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : /^nan$/i.test(text) ? 0 : Number(text);
}

function checkFamily({ name, type, samples }: Family): void {
  expect([name, ['counter', 'gauge', 'histogram', 'summary'].includes(type)]).toEqual([name, true]);
  expect([name, type === 'counter', name.endsWith('_total')]).toEqual([
    name,
    name.endsWith('_total'),
    type === 'counter',
  ]);
  const keys = samples.map((one) => JSON.stringify([one.name, Object.entries(one.labels).toSorted()]));
  expect([name, new Set(keys).size]).toEqual([name, keys.length]);
  if (type !== 'histogram') return;
  const bySeries = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  for (const series of bySeries.values()) {
    const buckets = series.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = '' } }) => toNumber(le));
    expect([name, bounds, bounds.at(-1)]).toEqual([name, bounds.toSorted((a, b) => a - b), Infinity]);
    const counts = buckets.map(({ value }) => value);
    expect([name, counts]).toEqual([name, counts.toSorted((a, b) => a - b)]);
    expect(series.find((one) => one.name === `${name}_count`)?.value).toBe(counts.at(-1));
    expect(series.some((one) => one.name === `${name}_sum`)).toBe(true);
  }
}
