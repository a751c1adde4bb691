/**
 * A core's documents behave alike in a home's files and in a team's database: concurrent processes overwrite nothing.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { DecisionHistory } from '../../../src-main/core/admin/decision-history.ts';
import { ProposalStore } from '../../../src-main/core/admin/server-change.ts';
import { ProfileTokenStore } from '../../../src-main/core/profiles/profile-tokens.ts';
import { DataFlowDecisions } from '../../../src-main/core/trust/data-flow/data-flow-decisions.ts';
import { DataFlowStats } from '../../../src-main/core/trust/data-flow/data-flow-stats.ts';
import { PinRegistry } from '../../../src-main/core/trust/pins/pin-registry.ts';
import type { PinnedServer } from '../../../src-main/core/trust/pins/pin-store.ts';
import type { ServerPins } from '../../../src-main/core/trust/pins/server-pins.ts';
import { implementations, type Opened } from './replicas.ts';

describe.each(Object.entries(implementations))('in %s', (_, begin) => {
  const two = async (): Promise<[Opened, Opened]> => {
    const open = await begin();
    return [await open(), await open()];
  };

  test('merges concurrent changes of a document, and nothing of an aborted one', async () => {
    const [one, other] = await two();
    const add = ({ stores }: Opened): Promise<number> =>
      stores.decisions.change((value) => {
        const next = Number(value ?? 0) + 1;
        return [next, next];
      });
    const counted = await Promise.all([one, other, one, other, one, other].map(add));
    expect(counted.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    const refused = one.stores.decisions.change(() => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    await expect.poll(() => other.stores.decisions.read()).toBe(6);
  });

  test('decides a proposal once, and notifies every process', async () => {
    const processes = (await two()).map(({ stores }) => new ProposalStore(stores.proposals));
    const [here, there] = processes as [ProposalStore, ProposalStore];
    let told = 0;
    there.changed.on(() => told++);
    await there.start();
    onTestFinished(() => there.stop());
    const author = { app: 'claude', sessionId: 's', tool: 'manage_servers' };
    const asked = { author, changes: [{ kind: 'enable', server: 'x' } as const], bases: { x: null } };
    const { id } = await here.add(asked);
    await expect.poll(() => told).toBe(1);
    expect(await there.all()).toEqual(await here.all());
    const taken = await Promise.allSettled([here.take(id), there.take(id)]);
    expect(taken.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(taken.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'not_found' } });
  });

  test('undoes a decision once, and keeps it if the undo fails', async () => {
    const histories = (await two()).map(({ stores }) => new DecisionHistory(stores.decisions));
    const [here, there] = histories as [DecisionHistory, DecisionHistory];
    const decision = { by: 'dashboard', kind: 'proposal', sentence: 'Approved.', choice: 'approve' } as const;
    const id = (await here.add(decision as never)) ?? '';
    await expect.poll(() => there.all(['proposal'])).toHaveLength(1);
    await expect(there.undo(id, () => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
    let times = 0;
    const back = (): Promise<void> => Promise.resolve(void times++);
    const both = await Promise.allSettled([here.undo(id, back), there.undo(id, back)]);
    expect([times, both.filter(({ status }) => status === 'fulfilled').length]).toEqual([1, 1]);
  });

  test('applies a data-flow decision in later processes until it is revoked', async () => {
    const open = await begin();
    const here = new DataFlowDecisions((await open()).stores.dataFlowDecisions);
    await here.start();
    const decided = { server: 'mail', destination: 'mail a@b.example', at: 1, app: 'claude' };
    await here.add([decided]);
    const there = new DataFlowDecisions((await open()).stores.dataFlowDecisions);
    await there.start();
    expect([there.all, there.has('mail', 'mail a@b.example')]).toEqual([[decided], true]);
    await there.revoke([decided]);
    const last = new DataFlowDecisions((await open()).stores.dataFlowDecisions);
    await last.start();
    expect(last.all).toEqual([]);
  });

  test('counts data-flow events over all processes', async () => {
    const open = await begin();
    for (const tool of ['a', 'b']) {
      const record = new DataFlowStats((await open()).stores.dataFlowEvents, () => 1000);
      await record.start();
      record.record({ at: 1000, app: 'claude', tool, sentence: '', outcome: 'recorded' });
      await record.close();
    }
    const last = new DataFlowStats((await open()).stores.dataFlowEvents, () => 1000);
    await last.start();
    expect(last.summary()).toMatchObject({ week: { recorded: 2 }, last: [{ tool: 'a' }, { tool: 'b' }] });
  });

  test('grants and revokes an app’s access for every process', async () => {
    const [{ access: here }, { access: there }] = await two();
    const { token = '' } = await here.grant('cursor', true);
    await expect.poll(() => there.accepts('cursor', token)).toBe(true);
    await there.recordSeen('zed', 5);
    await there.revoke('cursor');
    await expect.poll(() => here.isRevoked('cursor')).toBe(true);
    await here.grant('__proto__');
    expect(here.list().map(({ app, seen }) => [app, seen])).toEqual([
      ['cursor', undefined],
      ['zed', 5],
      ['__proto__', undefined],
    ]);
  });

  test('accepts a profile’s token in every process until it is revoked', async () => {
    const [here, there] = (await two()).map(({ stores }) => new ProfileTokenStore(stores.profileTokens));
    const given = await here!.issue('work', Date.now() + 60_000);
    await expect.poll(() => there!.verify('work', given.token)).toMatchObject({ id: given.id });
    expect(there!.verify('home', given.token)).toBeUndefined();
    await there!.revoke(given.id);
    await expect.poll(() => here!.verify('work', given.token)).toMatchObject({ code: 'not_allowed' });
  });

  test('reports a pending change once, from the process that saw it first', async () => {
    const open = await begin();
    const told: string[] = [];
    let now = 5;
    // As read by a new process.
    const start = async (description: string): Promise<ServerPins> => {
      const book = new PinRegistry((await open()).stores.pins, {
        onChange: () => 'hold',
        onPassed: () => undefined,
        onDecided: () => undefined,
        now: () => now++,
        onHeld: (_, changes) => told.push(...changes.map(({ after }) => String(after?.['description']))),
        onWarning: (_, text) => expect.unreachable(text),
      });
      const pins = book.of({ kind: 'http', name: 'notes', url: 'https://notes.example', headers: {} } as never);
      if (pins === undefined) throw new Error('no pins');
      await pins.evaluate({ tools: [{ name: 'read', description }], prompts: [], resourceTemplates: [] }, undefined, {
        sameProcess: false,
        isAfterCall: false,
      });
      return pins;
    };
    await start('Reads.');
    const first = (await start('Reads, and tells.')).pendingReview;
    expect((await start('Reads, and tells.')).pendingReview).toEqual(first);
    expect(told).toEqual(['Reads, and tells.']);
    // A process whose server was not updated yet.
    await start('Reads.');
    const last = await start('Reads, and tells.');
    expect(told).toHaveLength(1);
    await last.decide('accept', 'a test', last.pendingReview?.id ?? '');
    await start('Reads, and tells all.');
    await start('Reads, and tells all.');
    expect(told.slice(1)).toEqual(['Reads, and tells all.']);
  });

  test('reads back a pinned server unchanged', async () => {
    const [{ stores: here }, { stores: there }] = await two();
    const pinned: PinnedServer = {
      server: 'notes',
      acceptedAt: 5,
      program: 'p',
      pin: null,
      mayGrow: true,
      definitions: new Map([['tool:read', { name: 'read', description: 'Reads \u0000 \ud800.' }]]),
      refused: new Map([['tool:write', 'h1']]),
      rugPulls: new Map(),
      waits: new Map([['tool:draw', { hash: 'h2', since: 7 }]]),
      decisions: [{ id: 'd', at: 1, by: 'dashboard', choice: 'keep', before: {}, decided: {} }],
    };
    expect(await here.pins.forServer('notes').read()).toBeUndefined();
    await here.pins.forServer('notes').write(pinned);
    await here.pins.forServer('notes').write({ ...pinned, pin: 'v2' });
    expect(await there.pins.forServer('notes').read()).toEqual({ ...pinned, pin: 'v2' });
    expect(await there.pins.forServer('other').read()).toBeUndefined();
    await here.pins.sweep();
    expect(await there.pins.forServer('notes').read()).toMatchObject({ pin: 'v2' });
  });
});
