/** Company networks: a private certificate authority, and proxies configured only in the login shell or the system. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  OutboundNetwork,
  type OutboundNetworkOptions,
  proxyOf,
} from '../../../../src-main/core/servers/network/outbound-network.ts';

const fixture = join(import.meta.dirname, 'outbound-network.fixture.ts');
const run = promisify(execFile);

const port = (server: Server): number => (server.address() as AddressInfo).port;

async function listen<S extends Server>(server: S): Promise<S> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe.skipIf(spawnSync('openssl', ['version']).error !== undefined)(
  'Server with a private certificate authority',
  () => {
    let folder: string;
    let ca: string;
    let server: Server;
    const tunnels: string[] = [];
    let proxy: Server;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'tooltray-ca-'));
      ca = join(folder, 'ca.pem');
      const openssl = (...words: string[]): Buffer => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
      openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Private CA');
      openssl('req', ...key, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=mcp.example');
      writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:mcp.example,IP:127.0.0.1');
      openssl(
        ...['x509', '-req', '-in', 'request.pem', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-out', 'cert.pem', '-days', '2', '-extfile', 'names'],
      );
      const read = (name: string): Buffer => readFileSync(join(folder, name));
      server = await listen(
        createServer({ key: read('key.pem'), cert: read('cert.pem') }, (_, response) => response.end('ok')),
      );
      // Every name resolves to the server.
      proxy = await listen(createHttpServer());
      proxy.on('connect', ({ url = '' }: IncomingMessage, client: Duplex) => {
        tunnels.push(url);
        const onward = connect(port(server), '127.0.0.1', () => client.write('HTTP/1.1 200 Connected\r\n\r\n'));
        onward.pipe(client).pipe(onward);
        for (const one of [onward, client]) one.on('error', () => onward.destroy());
      });
    });
    afterAll(() => {
      server.close();
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function ask(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Record<string, unknown>> {
      const { stdout } = await run(process.execPath, [fixture, ...words], { env: { ...process.env, ...env } });
      return JSON.parse(stdout) as Record<string, unknown>;
    }
    const direct = (): string => `https://127.0.0.1:${port(server)}/`;

    test('is rejected if no certificate authority trusts it', async () => {
      expect(await ask({}, direct(), '')).toEqual({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', problems: [] });
    });

    test('is trusted if the configured file contains the certificate authority', async () => {
      expect(await ask({}, direct(), ca)).toEqual({ text: 'ok', problems: [] });
    });

    test('is trusted if the system trusts the certificate authority', async () => {
      expect(await ask({ SSL_CERT_FILE: ca }, direct(), '')).toEqual({ text: 'ok', problems: [] });
    });

    test.each(['missing.pem', 'key.pem'])(
      'reports an unusable certificate file (%s) and still trusts the system',
      async (name) => {
        const { text, problems } = await ask({ SSL_CERT_FILE: ca }, direct(), join(folder, name));
        expect([text, problems]).toEqual(['ok', [expect.stringContaining(name)]]);
      },
    );

    test('is reached through the proxy of the system', async () => {
      const system = `SOCKS 127.0.0.1:1; PROXY 127.0.0.1:${port(proxy)}; DIRECT`;
      expect(await ask({}, 'https://mcp.example/', ca, system)).toEqual({ text: 'ok', problems: [] });
      expect(tunnels).toEqual(['mcp.example:443']);
    });
  },
);

describe('proxyEnv', () => {
  const target = new URL('https://far.example/mcp');
  const login = { HTTPS_PROXY: 'http://login:1', PATH: '/bin' };
  const network = (options: Partial<OutboundNetworkOptions>): OutboundNetwork =>
    new OutboundNetwork({
      env: {},
      loginEnv: () => Promise.resolve(login),
      extraCaFile: () => undefined,
      onProblem: () => undefined,
      ...options,
    });
  const system = (): Promise<string> => Promise.resolve('PROXY system:1');

  test('uses the proxy of the environment, else of the login shell, else of the system', async () => {
    const own = { https_proxy: 'http://own:1' };
    expect(await network({ env: own, resolveProxy: system }).proxyEnv(target)).toEqual(own);
    expect(await network({ resolveProxy: system }).proxyEnv(target)).toEqual({ HTTPS_PROXY: 'http://login:1' });
    const bare = { loginEnv: () => Promise.resolve({ NO_PROXY: 'x' }) };
    expect(await network({ ...bare, resolveProxy: system }).proxyEnv(target)).toMatchObject({
      HTTPS_PROXY: 'http://system:1',
    });
    const broken = {
      loginEnv: () => Promise.reject(new Error('no shell')),
      resolveProxy: () => Promise.reject(new Error('x')),
    };
    expect(await network(broken).proxyEnv(target)).toEqual({});
  });

  test.each([
    ['DIRECT', undefined],
    ['PROXY a:1; DIRECT', 'http://a:1'],
    ['HTTPS a:443', 'https://a:443'],
    ['SOCKS5 a:1; PROXY b:2', 'http://b:2'],
    ['DIRECT; PROXY b:2', undefined],
    ['nonsense', undefined],
  ])('reads the system proxy from %s', (result, expected) => {
    expect(proxyOf(result)['HTTPS_PROXY']).toBe(expected);
  });
});
