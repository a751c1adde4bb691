/** The files of docs/team: their flags and variables exist, and their version is the current one. */
import { execFileSync } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { findCommand } from '../../src-main/cli/command-table.ts';
import { readArguments } from '../../src-main/cli/command.ts';
import { teamServe } from '../../src-main/cli/commands/team/team-serve.ts';
import { isProbe } from '../../src-main/team/operations/operations-server.ts';
import { Database } from '../../src-main/team/database/database.ts';
import { migrate, requireSchema } from '../../src-main/team/database/migrate.ts';
import { startPostgres } from '../../scripts/team/engines/postgres.ts';
import { programPath } from '../../scripts/team/engines/system.ts';

const root = `${import.meta.dirname}/../..`;
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');
const yamlFiles = globSync('docs/team/**/*.yaml', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  // The templates of the chart are YAML once they are rendered (helm-chart.test.ts).
  .filter((file) => !file.includes('/templates/'));
const sources = globSync('src-main/{cli,team,host}/**/*.ts', { cwd: root }).map(read).join('\n');
// PostgreSQL from npm has no psql.
const psql = programPath('psql');

/** Every list of words in it that begins with one of our commands. */
function startsIn(value: unknown): string[][] {
  if (Array.isArray(value)) {
    const isStart = value.every((each) => typeof each === 'string') && findCommand(value) !== undefined;
    if (isStart) return [value.map(String)];
    return value.flatMap(startsIn);
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(startsIn) : [];
}

test.each(yamlFiles)('%s is YAML and starts commands with existing flags', async (file) => {
  const documents = parseAllDocuments(read(file), { merge: true });
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  for (const words of documents.flatMap((each) => startsIn(each.toJS()))) {
    const found = findCommand(words);
    const declared = await found?.load();
    const args = words.slice(found?.name.split(' ').length);
    expect(() => declared && readArguments(declared, args)).not.toThrow();
  }
});

test.runIf(psql !== undefined)(
  'database.sql creates a database that its owner migrates and its replicas use, and no other team’s',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tooltray-logins-'));
    await chmod(folder, 0o711);
    const cluster = await startPostgres({ folder: join(folder, 'postgres'), isFleeting: true });
    onTestFinished(async () => {
      await cluster.stop();
      await rm(folder, { recursive: true });
    });
    const env = { ...process.env, OWNER_PASSWORD: "o'wner", REPLICA_PASSWORD: 'replica' };
    for (const name of ['sales', 'acme'])
      execFileSync(psql ?? '', ['-d', cluster.url, '-v', `name=${name}`, '-f', `${root}/docs/team/database.sql`], {
        env,
      });
    const at = (user: string, name: string): string => `postgres://${user}@127.0.0.1:${cluster.port}/${name}`;
    await migrate(at('sales_owner', 'sales'));
    await migrate(at('acme_owner', 'acme'));
    const database = new Database({ url: at('sales', 'sales') });
    onTestFinished(() => database.close());
    await requireSchema(database.sql);
    await expect(migrate(at('sales', 'sales'))).rejects.toMatchObject({ code: '42501' });
    for (const login of ['sales', 'sales_owner'])
      await expect(migrate(at(login, 'acme'))).rejects.toMatchObject({ code: '42501' });
  },
);

interface Manifest {
  readonly kind: string;
  readonly metadata?: { readonly name: string };
  readonly spec?: Record<string, unknown>;
}

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources?: { readonly requests?: object; readonly limits?: object };
}

const manifests = globSync('docs/team/kubernetes/*.yaml', { cwd: root }).flatMap((file) =>
  parseAllDocuments(read(file)).map((each) => each.toJS() as Manifest),
);
const workloads = manifests.flatMap(({ kind, metadata, spec }) => {
  const { template } = (spec ?? {}) as { template?: { metadata: object; spec: { containers: readonly Container[] } } };
  return template === undefined ? [] : [{ kind, name: metadata?.name, ...template }];
});
const containers = workloads.flatMap(({ spec }) => spec.containers);

/** Values of all members of this name, at any depth. */
function membersOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => [
    ...(key === name ? [inner] : []),
    ...membersOf(inner, name),
  ]);
}

test('the manifests have what a cluster needs, and what they name is there', () => {
  const kinds = ['HorizontalPodAutoscaler', 'NetworkPolicy', 'PodDisruptionBudget', 'PodMonitor', 'StatefulSet'];
  expect(kinds.filter((kind) => !manifests.some((each) => each.kind === kind))).toEqual([]);
  expect(containers.filter(({ resources }) => !resources?.requests || !resources.limits)).toEqual([]);
  const ports = new Set(containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)));
  const named = [...membersOf(manifests, 'port'), ...membersOf(manifests, 'targetPort')].filter(
    (port) => typeof port === 'string',
  );
  expect(named.filter((port) => !ports.has(port))).toEqual([]);
  const labels = new Set(workloads.map(({ metadata }) => JSON.stringify(membersOf(metadata, 'app'))));
  const chosen = manifests.flatMap(({ spec }) => ['selector', 'podSelector'].flatMap((name) => membersOf(spec, name)));
  const apps = chosen.map((selector) => JSON.stringify(membersOf(selector, 'app'))).filter((app) => app !== '[]');
  expect(apps.filter((app) => !labels.has(app))).toEqual([]);
  const scaled = manifests.find(({ kind }) => kind === 'HorizontalPodAutoscaler')?.spec?.['scaleTargetRef'] as
    | { readonly kind: string; readonly name: string }
    | undefined;
  expect(workloads.some((each) => scaled?.kind === each.kind && scaled.name === each.name)).toBe(true);
});

test('replicas listen at the ports that the manifests declare, and respond to their probes', () => {
  const replica = containers.find(({ args }) => args?.includes('serve'));
  const { listen, metricsListen } = readArguments(teamServe, replica?.args?.slice(2) ?? []).flags;
  const portOf = (address: unknown): number => Number(String(address).split(':').at(-1));
  expect(Object.fromEntries((replica?.ports ?? []).map(({ name, containerPort }) => [name, containerPort]))).toEqual({
    http: portOf(listen),
    operations: portOf(metricsListen),
  });
  const probes = membersOf(workloads, 'httpGet') as { readonly path: string }[];
  expect(probes.length).toBeGreaterThanOrEqual(3);
  expect(probes.filter(({ path }) => !isProbe({ method: 'GET', url: path } as IncomingMessage))).toEqual([]);
});

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { timeout: 20_000 }).status === 0;
test.skipIf(!hasKubectl)('kubectl builds the manifests', () => {
  const { status, stdout } = spawnSync('kubectl', ['kustomize', 'docs/team/kubernetes'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stdout.includes('namespace: tooltray')]).toEqual([0, true]);
});

test('the files start serve and migrate, and the image starts like them', () => {
  const started = yamlFiles.flatMap((file) =>
    parseAllDocuments(read(file), { merge: true }).flatMap((each) => startsIn(each.toJS())),
  );
  expect(new Set(started.map((words) => findCommand(words)?.name))).toEqual(new Set(['team serve', 'team migrate']));
  expect(read('docs/team/Dockerfile')).toContain('CMD ["team", "serve", "--listen", "0.0.0.0:8080"]');
});

test('variables and versions match this version', () => {
  const files = [...yamlFiles, 'docs/team/env.example', 'docs/team/Dockerfile'].map(read);
  const ofCompose = new Set(['TOOLTRAY_PUBLIC_URL', 'TOOLTRAY_IMAGE']);
  const named = new Set(files.flatMap((text) => text.match(/\bTOOLTRAY_[A-Z_]+/g) ?? []));
  const unknown = [...named].filter(
    (name) => !ofCompose.has(name) && name !== 'TOOLTRAY_HOME' && !new RegExp(`\\b${name}\\b`).test(sources),
  );
  expect(unknown).toEqual([]);
  const versions = files.flatMap((text) =>
    [...text.matchAll(/(?:tooltray-team:|newTag: )(\d[\w.]*)/g)].map(([, version]) => version),
  );
  expect(new Set(versions)).toEqual(new Set([packageJson.version]));
});
