/** Updates of real servers cause at most one question, and none without new text for models. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { objectOrEmpty } from '../../../../src-main/core/base/json.ts';
import type { ServerConfig } from '../../../../src-main/core/config/server-config.ts';
import { toIntroduction } from '../../../../src-main/core/servers/server-introduction.ts';
import { type DefinitionChange, needsReview } from '../../../../src-main/core/trust/pins/pinned-definitions.ts';
import { FilePinStore } from '../../../../src-main/core/trust/pins/pin-store.ts';
import { ServerPins } from '../../../../src-main/core/trust/pins/server-pins.ts';
import { recordedUpdates, type RecordedServer, type RecordedVersion } from '../../../fixtures/recorded-updates.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-updates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Update {
  readonly step: string;
  /** Number of changed definitions by kind of change. */
  readonly classes: string;
  readonly questions: number;
  /** Definitions in the question, and scan findings among them. */
  readonly held: number;
  readonly findings: number;
}

const updates = new Map<string, readonly Update[]>();
for (const server of recordedUpdates()) updates.set(server.name, await replay(server));

/** Each version is a new process of an unpinned package, as fetched by `npx`; the user accepts every question. */
async function replay({ name, versions }: RecordedServer): Promise<Update[]> {
  const rows: Update[] = [];
  for (const [at, version] of versions.entries()) {
    const passed: DefinitionChange[] = [];
    const pins = new ServerPins(
      configOf(name),
      { server: name, apps: undefined },
      new FilePinStore(folder).forServer(name),
      rulesOf(passed),
      () => undefined,
    );
    await judge(pins, version);
    const asked = pins.pendingReview;
    // The last version is listed once more: a decided question is not asked again.
    if (asked !== undefined) await pins.decide('accept', 'test', asked.id);
    await judge(pins, version);
    expect(pins.pendingReview).toBeUndefined();
    const held = asked?.changes ?? [];
    const last = versions[at - 1];
    rows.push({
      step: last === undefined ? version.version : `${last.version} → ${version.version}`,
      classes: countsOf([...passed, ...held]),
      questions: asked === undefined ? 0 : 1,
      held: held.length,
      findings: held.flatMap(({ findings }) => findings).length,
    });
    expect(passed.filter(needsReview)).toEqual([]);
  }
  return rows;
}

function configOf(name: string): ServerConfig {
  return {
    kind: 'stdio',
    name,
    command: 'npx',
    args: ['-y', name],
    env: {},
    cwd: undefined,
  } as unknown as ServerConfig;
}

function rulesOf(passed: DefinitionChange[]): ConstructorParameters<typeof ServerPins>[3] {
  return {
    onChange: () => 'hold',
    onPassed: (_, changes) => void passed.push(...changes),
    onHeld: () => undefined,
    onDecided: () => undefined,
    onWarning: (_, text) => expect.unreachable(text),
    now: () => 0,
  };
}

function judge(pins: ServerPins, { introduced, ...offer }: RecordedVersion): Promise<void> {
  const { instructions, serverInfo, capabilities } = introduced;
  const handshake = {
    era: 'legacy' as const,
    protocolVersion: '2025-11-25',
    capabilities: objectOrEmpty(capabilities),
    serverInfo: objectOrEmpty(serverInfo),
    raw: introduced,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
  return pins.evaluate(offer, toIntroduction(handshake));
}

function countsOf(changes: readonly DefinitionChange[]): string {
  const classes = new Map<string, number>();
  for (const change of changes) classes.set(change.class, (classes.get(change.class) ?? 0) + 1);
  return [...classes]
    .sort()
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

test('covers at least seven servers and thirty updates', () => {
  const steps = [...updates.values()].reduce((sum, rows) => sum + rows.length - 1, 0);
  expect({ servers: updates.size >= 7, steps: steps >= 30 }).toEqual({ servers: true, steps: true });
});

test('asks for each update what the fixture records', async () => {
  const tables = [...updates].map(([name, rows]) => `${name}\n${tableOf(rows)}`);
  await expect(tables.join('\n')).toMatchFileSnapshot('../../../fixtures/update-questions.txt');
});

test.each([...updates])('%s: asks nothing for its first listing', (_, [first]) => {
  expect(first).toMatchObject({ questions: 0, held: 0 });
});

test('asks nothing for an update without new text', () => {
  const quiet = [...updates.values()]
    .flatMap((rows) => rows.slice(1))
    .filter(({ classes }) => !/gained|milder|new/.test(classes));
  expect(quiet.filter(({ questions }) => questions > 0)).toEqual([]);
  expect(quiet.length).toBeGreaterThan(5);
});

function tableOf(rows: readonly Update[]): string {
  return rows
    .slice(1)
    .map(
      ({ step, classes, questions, held, findings }) =>
        `  ${step}: ${classes || 'same'}; questions ${questions}, definitions in it ${held}, findings ${findings}\n`,
    )
    .join('');
}
