/**
 * The key by which a load balancer sends all of a user's requests to one replica: CRC-32 of issuer and subject, which
 * HAProxy and Envoy can compute from an OIDC token. It is public and proves nothing.
 */
import { crc32 } from 'node:zlib';

/** In decimal. Users without an issuer use their own ID as the subject of the issuer ''. */
export function routingKey(issuer: string, subject: string): string {
  return String(crc32(`${issuer}|${subject}`));
}
