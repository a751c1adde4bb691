/** Commands that need servers, without a running core. */
import { expect, test } from 'vitest';
import { CliHome, entries } from '../cli-home.ts';
import { allCases } from '../../support/all-cases.ts';

const secret = 'hunter2-hunter2';

test('test reports which servers work and why others fail, with their last stderr lines', async () => {
  await using home = new CliHome({
    echo: entries.echo,
    crash: entries.crash,
    off: { ...entries.echo, enabled: false },
  });
  const { code, data } = await home.json('test');
  expect(code).toBe(1);
  expect(data).toMatchObject({
    ok: false,
    servers: [
      { name: 'echo', ok: true, era: 'legacy', protocolVersion: '2025-11-25', tools: 1 },
      {
        name: 'crash',
        ok: false,
        error: { code: 'server_exited' },
        stderr: ['Fatal: the fixture crashes on purpose.'],
      },
    ],
    off: ['off'],
  });
});

test('test NAME prints a row and exits with 0, also for a disabled server', async () => {
  await using home = new CliHome({ echo: { ...entries.echo, enabled: false }, crash: entries.crash });
  const { code, stdout } = await home.run('test', 'echo');
  expect({ code, stdout: stdout.replace(/\d+\.\d s/, 'T') }).toEqual({
    code: 0,
    stdout: 'NAME  RESULT  TOOLS  PROTOCOL             DURATION\necho  ok      1      2025-11-25 (legacy)  T\n',
  });
});

test.runIf(allCases)(
  'build-cache lists the tools of every server once, and list shows their number afterwards',
  async () => {
    await using home = new CliHome({ echo: entries.echo });
    expect((await home.run('build-cache')).stdout).toMatch(/\nCached 1 tool from 1 of 1 server\.\n$/);
    expect((await home.json('list')).data['servers']).toMatchObject([{ name: 'echo', state: 'not-running', tools: 1 }]);
  },
);

test('call prints the text of the result without terminal control sequences', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const message = { message: 'one\ntwo \u001b[31mred\u0007' };
  expect(await home.run('call', 'echo:echo', JSON.stringify(message))).toEqual({
    code: 0,
    stdout: 'one\ntwo red\n',
    stderr: '',
  });
  const raw = await home.runWith({ input: JSON.stringify(message) }, 'call', 'echo', '-', '--raw');
  expect(raw.stdout).toBe(`${message.message}\n`);
});

test.runIf(allCases)(
  'call exits with 1 for a tool error, 1 for an unknown tool and 2 for arguments that are not an object',
  async () => {
    await using home = new CliHome({ utils: { type: 'builtin', builtin: 'utils' } });
    const codes = [
      (await home.run('call', 'utils:current_time', '{"timezone":"No/Where"}')).code,
      (await home.run('call', 'utils:curent_time')).code,
      (await home.run('call', 'utils:current_time', '[]')).code,
      (await home.run('call', 'utils:current_time', '{"timezone"')).code,
    ];
    expect(codes).toEqual([1, 1, 2, 2]);
  },
);

test.runIf(allCases)('search and list --tools name the matching tools and all tools', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect((await home.run('search', 'return', 'message')).stdout).toMatch(
    /^echo:echo\n {2}Returns the message it was given\.\n {2}\S/,
  );
  expect((await home.json('search', 'zebra')).data).toEqual({ query: 'zebra', total: 0, hits: [] });
  expect((await home.run('tools')).stdout).toBe('echo:echo  Returns the message it was given.\n\n1 tool\n');
});

test('doctor exits with 1 for a server that needs the user, and with 0 when none does', async () => {
  await using home = new CliHome();
  home.writeConfig({ trustEdits: true, servers: { echo: entries.echo } });
  const well = await home.run('doctor');
  expect({ code: well.code, last: well.stdout.trim().split('\n').at(-1) }).toEqual({
    code: 0,
    last: 'No problems found.',
  });
  home.writeConfig({ trustEdits: true, servers: { gone: { ...entries.missing, env: { API_TOKEN: secret } } } });
  const ill = await home.json('doctor');
  const problems = (ill.data['findings'] as { level: string; text: string }[]).filter(
    ({ level }) => level === 'problem',
  );
  expect({ code: ill.code, problems }).toMatchObject({
    code: 1,
    problems: [
      {
        id: 'server-gone',
        detail: expect.stringContaining(entries.missing.command) as string,
      },
    ],
  });
});

test('no command shows a secret of the config', async () => {
  const args = [...entries.crash.args, '--api-key', secret];
  await using home = new CliHome({ crash: { command: entries.crash.command, args, env: { API_TOKEN: secret } } });
  const outcomes = await Promise.all(
    [['list'], ['list', '--json'], ['--list-servers'], ['test'], ['doctor']].map((words) => home.run(...words)),
  );
  expect(outcomes.map(({ stdout, stderr }) => (stdout + stderr).includes(secret))).toEqual(outcomes.map(() => false));
  expect(outcomes[0]?.stdout).toContain('--api-key ***');
});

test('retry reports that no Tooltray is running', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect(await home.run('restart', 'echo')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^tooltray: No Tooltray is running/) as string,
  });
});
