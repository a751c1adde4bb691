/** What a sandbox means, in words, and what leaving it means. */
import { expect, test } from 'vitest';
import { entryConsequences } from '../../../../src-main/core/trust/inbox/entry-consequences.ts';

const server = { command: 'node', args: ['server.js', '/home/me/Documents'] };
const texts = (before: object | undefined, after: object): readonly string[] =>
  entryConsequences(before as never, after as never).map(({ text }) => text);

test("describes where a sandboxed server runs and what it reaches, not the user's rights", () => {
  const said = texts(undefined, { ...server, isolation: { mode: 'sandbox', read: ['/srv'], write: ['~/out'] } });
  expect(said).toEqual([
    'Starts node on this computer.',
    'Runs in a sandbox: sees system programs, its own files, and its own home folder.',
    'Can write ~/out.',
    'Can read /srv.',
    'Has no network access.',
    'Gains access to ~/out.',
    'Gains access to /srv.',
  ]);
  expect(texts(undefined, { ...server, isolation: 'auto' })).toContain('Gains access to /home/me/Documents.');
});

test('marks leaving the sandbox as grave, and a container with access outside', () => {
  const boxed = { ...server, isolation: 'sandbox' };
  expect(entryConsequences(boxed, { ...server, isolation: 'none' })[0]).toEqual({
    text: 'Leaves its sandbox: it then has your permissions.',
    isGrave: true,
  });
  expect(entryConsequences(server, boxed).some(({ isGrave }) => isGrave)).toBe(false);
  const container = { ...server, isolation: { mode: 'docker', extra_args: ['-v', '/:/host'] } };
  const grave = entryConsequences(boxed, container).filter(({ isGrave }) => isGrave);
  expect(grave).toEqual([{ text: 'Gains access to your whole disk.', isGrave: true }]);
});

test('mentions network access where it is gained, and names the whole home folder', () => {
  const was = { ...server, isolation: { mode: 'sandbox', write: [] } };
  const is = { ...server, isolation: { mode: 'sandbox', write: ['~'], network: true } };
  expect(texts(was, is)).toEqual([
    'Gains access to your whole home folder, including keys and passwords in it.',
    'Can write ~.',
    'Can access the network, including services on this computer.',
  ]);
});

test('treats an invalid isolation as none', () => {
  expect(texts(undefined, { ...server, isolation: { mode: 'sandbox', read: 'x' } })).toContain(
    'Starts node on this computer, with your permissions.',
  );
});
