import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { AllowedHosts } from '../../../src-main/team/http/allowed-hosts.ts';
import { TrustedProxies } from '../../../src-main/team/http/trusted-proxies.ts';

function from(
  remoteAddress: string,
  headers: Record<string, string>,
  { method = 'POST', url = '/mcp' } = {},
): IncomingMessage {
  return { socket: { remoteAddress }, headers, method, url } as unknown as IncomingMessage;
}

describe('the client’s address', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', 'fd00::/8']);
  const host = 'inside';
  const spoofed = { 'x-forwarded-for': '1.2.3.4', forwarded: 'for=1.2.3.4;host=x', 'x-forwarded-host': 'x', host };

  test.each([
    ['anybody, whose headers are nobody’s word', '9.9.9.9', spoofed, ['9.9.9.9', 'inside']],
    ['a proxy that says nothing', '10.0.0.1', { host }, ['10.0.0.1', 'inside']],
    ['one that came in as IPv6', '::ffff:10.0.0.1', { host, 'x-forwarded-for': '1.2.3.4' }, ['1.2.3.4', 'inside']],
    ['what the client wrote in front', '10.0.0.1', { host, 'x-forwarded-for': '6.6.6.6, 1.2.3.4' }, ['1.2.3.4', host]],
    ['proxies in a row', '10.0.0.1', { host, 'x-forwarded-for': '1.2.3.4, 10.9.9.9, fd00::1' }, ['1.2.3.4', host]],
    [
      'the host as the nearest proxy has it',
      '10.0.0.1',
      { host, 'x-forwarded-for': '1.2.3.4', 'x-forwarded-host': 'evil, tools' },
      ['1.2.3.4', 'tools'],
    ],
    ['an address with a port', 'fd00::7', { host, 'x-forwarded-for': '[2001:db8::1]:4711' }, ['2001:db8::1', host]],
    ['a hop that hides itself', '10.0.0.1', { host, 'x-forwarded-for': '6.6.6.6, _hidden' }, ['10.0.0.1', 'inside']],
    [
      'a client that wrote a header that is not read',
      '10.0.0.1',
      { host, forwarded: 'for=6.6.6.6;host=evil', 'x-forwarded-for': '1.2.3.4' },
      ['1.2.3.4', 'inside'],
    ],
  ])('%s', (_, peer, headers, expected) => {
    const { address, host: asked } = proxies.clientOf(from(peer, headers));
    expect([address, asked]).toEqual(expected);
  });

  test.each(['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', ''])('rejects the range %j', (range) => {
    expect(() => new TrustedProxies([range])).toThrow('valid IP range');
  });
});

describe('allowed names', () => {
  const hosts = new AllowedHosts(['tools.example.com', '[::1]', 'inner:8080'], new TrustedProxies(['10.0.0.0/8']));
  const status = (headers: Record<string, string>, asked = {}, peer = '9.9.9.9'): number =>
    hosts.reject(from(peer, headers, asked))?.status ?? 200;

  test.each([
    ['tools.example.com', 200],
    ['TOOLS.example.com:443', 200],
    ['[::1]:8690', 200],
    ['inner:8080', 200],
    ['inner', 403],
    ['inner:8081', 403],
    ['tools.example.com.evil.org', 403],
    ['tools.example.com@evil.org', 403],
    ['evil-tools.example.com', 403],
    ['', 403],
  ])('the Host %s', (host, expected) => {
    expect(status({ host })).toBe(expected);
  });

  test.each([
    ['https://tools.example.com', 200],
    ['http://tools.example.com:8080', 200],
    ['https://evil.org', 403],
    ['https://tools.example.com.evil.org', 403],
    ['null', 403],
    ['ftp://tools.example.com', 403],
  ])('the Origin %s', (origin, expected) => {
    expect(status({ host: 'tools.example.com', origin })).toBe(expected);
  });

  test('checks the host that a proxy forwards', () => {
    const forwarded = { host: 'tools.example.com', 'x-forwarded-for': '1.2.3.4', 'x-forwarded-host': 'evil.org' };
    expect([status(forwarded, {}, '10.0.0.1'), status(forwarded)]).toEqual([403, 200]);
  });

  test('allows probes by address on their own paths only', () => {
    const probe = { method: 'GET', url: '/healthz' };
    const asked = [
      status({ host: '10.1.2.3:8690' }, probe),
      status({ host: 'evil.org' }, probe),
      status({ host: '10.1.2.3' }, { ...probe, method: 'POST' }),
      status({ host: '10.1.2.3' }, { ...probe, url: '/mcp' }),
    ];
    expect(asked).toEqual([200, 403, 403, 403]);
  });

  test('rejects an invalid host name', () => {
    expect(() => new AllowedHosts(['https://a'], new TrustedProxies([]))).toThrow('valid host name');
  });
});
