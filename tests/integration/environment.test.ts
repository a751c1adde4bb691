/** Which variables of the login servers receive: the common ones, and those that their entries name. */
import { expect, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const env = { PLANTED_API_KEY: 'sk-planted-0001', PLANTED_SETTING: 'on', HTTPS_PROXY: 'http://proxy.test:1' };

/** A server process's environment, by name. */
async function environmentOf(core: TestCore, server: string): Promise<Readonly<Record<string, string>>> {
  const client = await core.open();
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
  const name = tools
    .map((tool) => tool.name)
    .find((one) => one === 'env' || (one.startsWith(server) && one.endsWith('env')));
  const { content } = (await client.request('tools/call', { name, arguments: {} })) as { content: { text: string }[] };
  return JSON.parse(content[0]?.text ?? '') as Record<string, string>;
}

test('passes a new server common variables, its own, and those that its entry names', async () => {
  const servers = {
    plain: { ...fixture('prober'), env: { OWN: 'mine' } },
    named: { ...fixture('prober'), inheritEnv: ['PLANTED_SETTING', 'NOT_THERE'] },
    all: { ...fixture('prober'), inheritEnv: 'all' },
  };
  await using core = await startCore({ servers }, { env });
  const [plain, named, all] = await Promise.all(['plain', 'named', 'all'].map((one) => environmentOf(core, one)));
  expect(plain).toMatchObject({ OWN: 'mine', HTTPS_PROXY: env.HTTPS_PROXY, PATH: expect.any(String) as string });
  expect(plain).not.toHaveProperty('PLANTED_API_KEY');
  expect(plain).not.toHaveProperty('PLANTED_SETTING');
  expect(named).toMatchObject({ PLANTED_SETTING: 'on' });
  expect(named).not.toHaveProperty('PLANTED_API_KEY');
  expect(named).not.toHaveProperty('NOT_THERE');
  expect(all).toMatchObject({ PLANTED_API_KEY: env.PLANTED_API_KEY });
  expect(await core.host.core.trust.inbox.items()).toEqual([]);
});

test('names the variable that a server exits without, and how to set it', async () => {
  await using core = await startCore({ servers: { s: fixture('prober', '--needs=PLANTED_API_KEY') } }, { env });
  const { state } = core.server('s');
  expect('error' in state && state.error).toMatchObject({
    code: 'server_exited',
    fix: expect.stringContaining('tooltray env s --allow PLANTED_API_KEY') as string,
  });
  expect(JSON.stringify(state)).not.toContain(env.PLANTED_API_KEY);
});
