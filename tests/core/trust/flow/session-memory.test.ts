/** What waits to be read is read in few turns, so that it does not pile up. */
import { expect, test } from 'vitest';
import { SessionMemory, type Source } from '../../../../src-main/core/trust/flow/session-memory.ts';

const source: Source = { of: 's:read', server: 's', private: true, foreign: true, messages: false, at: 0 };
const mail = (name: string): string =>
  JSON.stringify({ from: `${name}@one.example`, body: 'Nothing new. '.repeat(100) });
const turnsToRead = (memory: SessionMemory): number => {
  let turns = 1;
  while (memory.readOn()) turns++;
  return turns;
};

test('short answers are read in one turn, together', () => {
  const memory = new SessionMemory();
  for (let one = 0; one < 20; one++) memory.noteRead(mail(`person${one}`), source);
  expect(turnsToRead(memory)).toBe(1);
  const to = {
    kind: 'mail',
    key: 'mail person19@one.example',
    spellings: ['person19@one.example'],
    written: '',
  } as const;
  expect(memory.originOf(to, 's')).toEqual({ kind: 'read', source });
});

test('more than one slice of them lets others on in between', () => {
  const memory = new SessionMemory();
  for (let one = 0; one < 100; one++) memory.noteRead(mail(`person${one}`), source);
  expect(turnsToRead(memory)).toBe(Math.floor((100 * mail('person10').length) / 32_768) + 1);
});
