/** Classifies network addresses: this machine, a private network, or the internet. */
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { isLoopback } from './http-errors.ts';

/** `never`: no server has such an address (multicast, unspecified, reserved). */
export type AddressKind = 'loopback' | 'private' | 'link-local' | 'public' | 'never';

/** Classifies an address from DNS or a socket; anything else is `never`. */
export function addressKind(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'never';
  return kindOf(ipaddr.process(address));
}

/** Classifies a host spelled as in `URL.hostname`; undefined for a name that must be resolved first. */
export function hostKind(host: string): AddressKind | undefined {
  if (isLoopback(host)) return 'loopback';
  const bare = host.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? addressKind(bare) : undefined;
}

/**
 * Whether an address leads to the computer itself, or to services that return its credentials to any caller: loopback,
 * its interfaces, link-local (169.254.0.0/16), and the metadata services of clouds outside of it.
 */
export function isOwnAddress(address: string): boolean {
  if (['loopback', 'link-local', 'never'].includes(addressKind(address))) return true;
  const parsed = ipaddr.process(address);
  const interfaces = Object.values(networkInterfaces()).flatMap((all = []) => all.map((one) => one.address));
  if (interfaces.some((own) => ipaddr.process(own).toString() === parsed.toString())) return true;
  return metadataServices.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range);
    return parsed.kind() === base.kind() && parsed.match(base, bits);
  });
}

/** Metadata addresses of AWS, Google, Azure, and Alibaba. */
const metadataServices = ['fd00:ec2::/32', 'fd20:ce::/32', '168.63.129.16/32', '100.100.100.200/32'] as const;

function kindOf(address: ipaddr.IPv4 | ipaddr.IPv6): AddressKind {
  const range = address.range();
  switch (range) {
    case 'unicast':
      return 'public';
    case 'loopback':
      return 'loopback';
    case 'linkLocal':
      return 'link-local';
    // 100.64.0.0/10 is used by Tailscale and others.
    case 'private':
    case 'uniqueLocal':
    case 'carrierGradeNat':
      return 'private';
    // Networks without IPv4 reach IPv4 addresses under 64:ff9b::/96.
    case 'rfc6052':
      return kindOf(new ipaddr.IPv4(address.toByteArray().slice(-4)));
    default:
      return 'never';
  }
}
