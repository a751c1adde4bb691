/**
 * The Helm chart: with its default values it renders the manifests of docs/team/kubernetes. Helm itself does not run
 * here: its templates use only values, `if`, `range`, and three functions, which are evaluated below.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { findCommand } from '../../src-main/cli/command-table.ts';
import { readArguments } from '../../src-main/cli/command.ts';
import { teamServe } from '../../src-main/cli/commands/team/team-serve.ts';

const root = `${import.meta.dirname}/../..`;
const chart = `${root}/docs/team/helm`;
const defaults = parse(readFileSync(`${chart}/values.yaml`, 'utf8')) as Record<string, unknown>;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
  readonly data?: Readonly<Record<string, string>>;
}

interface Container {
  readonly args?: readonly string[];
}

const functions: Readonly<Record<string, (value: unknown) => unknown>> = {
  toJson: (value) => JSON.stringify(value),
  quote: (value) => JSON.stringify(String(value)),
  sha256sum: (value) => createHash('sha256').update(String(value)).digest('hex'),
};

/** Evaluates `{{ toJson .Values.a | quote }}`. */
function evaluate(expression: string, data: object, each?: unknown): unknown {
  const [first = '', ...pipe] = expression.split('|').map((part) => part.trim());
  const [argument = '', name] = first.split(' ').toReversed();
  const path = argument === '.' ? [] : argument.slice(1).split('.');
  let value = argument === '.' ? each : data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !(key in value)) throw new Error(`There is no ${argument}.`);
    value = (value as Record<string, unknown>)[key];
  }
  for (const one of [...(name === undefined ? [] : [name]), ...pipe]) {
    const apply = functions[one];
    if (apply === undefined) throw new Error(`The test does not know the function ${one}.`);
    value = apply(value);
  }
  return value;
}

function render(text: string, data: object): string {
  // `{{-` removes the white space before it.
  const trimmed = text.replaceAll(/\s*\{\{- /g, '{{ ');
  const flat = trimmed.replaceAll(
    /\{\{ (if|range) (.*?) \}\}([\s\S]*?)\{\{ end \}\}/g,
    (_, kind: string, expression: string, body: string) => {
      const value = evaluate(expression, data);
      if (kind === 'if') return value === true ? body : '';
      return (value as unknown[]).map((each) => fill(body, data, each)).join('');
    },
  );
  return fill(flat, data);
}

function fill(text: string, data: object, each?: unknown): string {
  return text.replaceAll(/\{\{ (.*?) \}\}/g, (_, expression: string) => String(evaluate(expression, data, each)));
}

/** The manifests that the chart renders with these values, by kind and name. */
function rendered(values: Record<string, unknown>): ReadonlyMap<string, Manifest> {
  const data = { Values: { ...defaults, ...values }, Release: { Namespace: 'tooltray' } };
  return manifestsIn(globSync(`${chart}/templates/*.yaml`), (text) => render(text, data));
}

function manifestsIn(files: readonly string[], change: (text: string) => string): ReadonlyMap<string, Manifest> {
  const all = files.flatMap((file) => {
    const documents = parseAllDocuments(change(readFileSync(file, 'utf8')));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    return documents.flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  });
  return new Map(all.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]));
}

test('renders the plain manifests with its default values', () => {
  const files = globSync(`${root}/docs/team/kubernetes/*.yaml`).filter((file) => !file.endsWith('kustomization.yaml'));
  // The kustomization adds the version and the configuration.
  const plain = manifestsIn(files, (text) =>
    text.replaceAll('image: tooltray-team\n', `image: tooltray-team:${packageJson.version}\n`),
  );
  const ours = rendered({ podMonitor: true });
  expect([...ours.keys()].sort()).toEqual([...plain.keys(), 'ConfigMap tooltray-config'].sort());
  for (const [name, manifest] of plain) {
    const copy = structuredClone(ours.get(name)) as { metadata: Record<string, unknown>; spec: unknown };
    if (name === 'Job tooltray-migrate') {
      expect(copy.metadata['annotations']).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
      delete copy.metadata['annotations'];
    }
    if (name === 'StatefulSet tooltray') {
      const { template } = copy.spec as { template: { metadata: Record<string, unknown> } };
      delete template.metadata['annotations'];
    }
    expect([name, copy]).toEqual([name, manifest]);
  }
});

test('every value is used, and reaches the manifests', () => {
  const templates = globSync(`${chart}/templates/*.yaml`)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const used = new Set([...templates.matchAll(/\.Values\.(\w+)/g)].map(([, name]) => name));
  // The host is in --public-url, too.
  expect(used).toEqual(new Set(Object.keys(defaults)));
  const config = { servers: { echo: { command: 'echo "{}"' } } };
  const ours = rendered({
    config,
    extraArgs: ['--issuer=https://idp.example.com', '--allowed-hosts=other.example.com'],
    image: 'registry.example.com/tooltray:1',
    publicUrl: 'https://other.example.com',
    resources: { requests: { cpu: 1 }, limits: { memory: '2Gi' } },
  });
  expect(ours.has('PodMonitor tooltray')).toBe(false);
  expect(JSON.parse(ours.get('ConfigMap tooltray-config')?.data?.['config.json'] ?? '')).toEqual(config);
  const [container] = ours.get('StatefulSet tooltray')?.spec?.template?.spec.containers ?? [];
  expect(container).toMatchObject({
    image: 'registry.example.com/tooltray:1',
    resources: { requests: { cpu: 1 }, limits: { memory: '2Gi' } },
  });
  const args = container?.args ?? [];
  expect(args).toEqual(
    expect.arrayContaining(['--public-url=https://other.example.com', '--allowed-hosts=other.example.com']),
  );
  expect(findCommand(args)?.name).toBe('team serve');
  expect(() => readArguments(teamServe, args.slice(2))).not.toThrow();
  const checksum = (values: object): unknown =>
    JSON.stringify(rendered({ ...values }).get('StatefulSet tooltray')).match(/checksum\/config":"(\w+)/)?.[1];
  expect(checksum({ config })).not.toBe(checksum({}));
});

test('its version is that of the app', () => {
  const { version, appVersion } = parse(readFileSync(`${chart}/Chart.yaml`, 'utf8')) as Record<string, string>;
  expect([version, appVersion, defaults['image']]).toEqual([
    packageJson.version,
    packageJson.version,
    `tooltray-team:${packageJson.version}`,
  ]);
});
