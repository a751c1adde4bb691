/** Current time and time zone conversion, including the days on which clocks change. */
import { expect, test } from 'vitest';
import { connectUtils } from './connect-utils.ts';

const now = () => new Date('2026-07-04T22:30:15.250Z');

async function structured(name: string, input: Record<string, unknown>): Promise<unknown> {
  await using utils = await connectUtils({ folders: [], now });
  const answer = await utils.call(name, input);
  return answer.isError === true ? answer.content : answer.structuredContent;
}

async function text(name: string, input: Record<string, unknown>): Promise<string> {
  await using utils = await connectUtils({ folders: [], now });
  return await utils.text(name, input);
}

test.each([
  ['Europe/Berlin', '2026-07-05T00:30:15+02:00', 'Sunday'],
  ['UTC', '2026-07-04T22:30:15+00:00', 'Saturday'],
  ['America/St_Johns', '2026-07-04T20:00:15-02:30', 'Saturday'],
  ['Asia/Kathmandu', '2026-07-05T04:15:15+05:45', 'Sunday'],
  ['Pacific/Kiritimati', '2026-07-05T12:30:15+14:00', 'Sunday'],
])('returns the current time in %s', async (timezone, time, weekday) => {
  expect(await structured('current_time', { timezone })).toEqual({ time, timezone, weekday });
});

test('uses the time zone of this computer by default', async () => {
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(await structured('current_time', {})).toMatchObject({ timezone: local });
});

test.each([
  ['08:15', 'Europe/Berlin', 'America/New_York', '2026-07-05T08:15:00+02:00', '2026-07-05T02:15:00-04:00'],
  ['8:15', 'America/New_York', 'Asia/Tokyo', '2026-07-04T08:15:00-04:00', '2026-07-04T21:15:00+09:00'],
  ['2026-01-31 23:59:30', 'UTC', 'Asia/Kolkata', '2026-01-31T23:59:30+00:00', '2026-02-01T05:29:30+05:30'],
  ['2026-01-31', 'UTC', 'Asia/Kolkata', '2026-01-31T00:00:00+00:00', '2026-01-31T05:30:00+05:30'],
  ['2026-01-31T12:00:00Z', 'Europe/Berlin', 'UTC', '2026-01-31T13:00:00+01:00', '2026-01-31T12:00:00+00:00'],
  ['2026-01-31T12:00+0530', 'UTC', 'UTC', '2026-01-31T06:30:00+00:00', '2026-01-31T06:30:00+00:00'],
  ['1890-01-01T12:00', 'UTC', 'Europe/Amsterdam', '1890-01-01T12:00:00+00:00', null],
  ['0050-06-01T12:00', 'UTC', '+02:00', '0050-06-01T12:00:00+00:00', '0050-06-01T14:00:00+02:00'],
  ['9999-12-31T12:00', 'UTC', 'UTC', '9999-12-31T12:00:00+00:00', '9999-12-31T12:00:00+00:00'],
])('converts %s in %s to %s', async (time, from, to, expectedFrom, expectedTo) => {
  const expected = { from: expectedFrom, to: expectedTo ?? (expect.stringMatching(/^1890-01-01T12:/) as unknown) };
  expect(await structured('convert_time', { time, from, to })).toEqual(expected);
});

test('reports a time that clocks skip and interprets it with the offset before the change', async () => {
  const answer = await structured('convert_time', { time: '2026-03-29T02:30', from: 'Europe/Berlin', to: 'UTC' });
  expect(answer).toEqual({
    from: '2026-03-29T03:30:00+02:00',
    to: '2026-03-29T01:30:00+00:00',
    note: 'The clocks in Europe/Berlin skip this time (they go forward); read as 2026-03-29T03:30:00+02:00.',
  });
});

test('reports both readings of a time that clocks show twice', async () => {
  const answer = await structured('convert_time', { time: '2026-11-01T01:30', from: 'America/New_York', to: 'UTC' });
  expect(answer).toEqual({
    from: '2026-11-01T01:30:00-04:00',
    to: '2026-11-01T05:30:00+00:00',
    note: 'The clocks in America/New_York show this time twice: 2026-11-01T01:30:00-04:00 (used) and 2026-11-01T01:30:00-05:00.',
  });
});

test('handles a half-hour clock change and a skipped day', async () => {
  const found = [
    await structured('convert_time', { time: '2026-10-04T02:15', from: 'Australia/Lord_Howe', to: 'UTC' }),
    await structured('convert_time', { time: '2011-12-30T12:00', from: 'Pacific/Apia', to: 'UTC' }),
  ];
  expect(found).toMatchObject([
    { from: '2026-10-04T02:45:00+11:00', note: expect.stringContaining('skip') as unknown },
    { from: '2011-12-31T12:00:00+14:00', note: expect.stringContaining('skip') as unknown },
  ]);
});

test.each([
  ['Berlin', 'Did you mean Europe/Berlin?'],
  ['new york', 'Did you mean America/New_York?'],
  ['Mars/Olympus', 'Use an IANA name such as Europe/Berlin.'],
  ['', 'Use an IANA name such as Europe/Berlin.'],
])('rejects the unknown time zone %j with a hint', async (timezone, help) => {
  expect(await text('current_time', { timezone })).toBe(`ERROR Unknown time zone "${timezone}". ${help}`);
});

test.each([
  '',
  'noon',
  '25:00',
  '12:60',
  '2026-02-30',
  '2026-13-01T00:00',
  '12:00Z',
  '2026-01-01T12:00+99:00',
  '2026-1-1',
])('rejects a time that cannot be parsed: %j', async (time) => {
  expect(await text('convert_time', { time, from: 'UTC', to: 'UTC' })).toMatch(/^ERROR ".*" is not a valid time\./);
});
