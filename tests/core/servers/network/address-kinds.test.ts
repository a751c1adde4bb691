/** Classifies addresses in every notation. */
import { expect, test } from 'vitest';
import { addressKind, hostKind } from '../../../../src-main/core/servers/network/address-kinds.ts';

test.each([
  ['8.8.8.8', 'public'],
  ['2606:4700::1111', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['64:ff9b::8.8.8.8', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.8.9.10', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd00::1', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['169.254.169.254', 'link-local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['64:ff9b::169.254.169.254', 'link-local'],
  ['0.0.0.0', 'never'],
  ['::', 'never'],
  ['224.0.0.1', 'never'],
  ['255.255.255.255', 'never'],
  ['192.0.2.1', 'never'],
  ['2002:7f00:1::', 'never'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'never'],
  ['not an address', 'never'],
])('%s is %s', (address, kind) => expect(addressKind(address)).toBe(kind));

test.each([
  ['http://localhost/', 'loopback'],
  ['http://a.localhost/', 'loopback'],
  ['http://[::1]/', 'loopback'],
  ['http://2130706433/', 'loopback'],
  ['http://0x7f.1/', 'loopback'],
  ['http://0177.0.0.1/', 'loopback'],
  ['http://10.1/', 'private'],
  ['http://[::ffff:192.168.0.1]/', 'private'],
  ['http://example.org/', undefined],
  ['http://nas.local/', undefined],
])('the host of %s is %s', (url, kind) => expect(hostKind(new URL(url).hostname)).toBe(kind));
