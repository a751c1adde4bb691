/**
 * The key by which a load balancer sends all of a user's requests to one replica: CRC-32 of issuer and subject, so that
 * HAProxy and Envoy compute the same from an OIDC token. It is public and proves nothing.
 */
import { crc32 } from 'node:zlib';

/** In decimal. Users without an issuer have their own id as the subject of the issuer ''. */
export function routingKey(issuer: string, subject: string): string {
  return String(crc32(`${issuer}|${subject}`));
}
