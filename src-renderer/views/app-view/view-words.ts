/** Describes a view's declared requirements. Pure. */
import type { ViewRequirements } from '../../../src-main/rpc/contract.ts';

interface WishRow {
  readonly what: string;
  readonly domains: readonly string[];
}

/** Hosts that it would contact, and why, verbatim. */
export function networkRows({ connect, resources, frames, baseUris }: ViewRequirements): readonly WishRow[] {
  return [
    { what: 'Connect to', domains: connect },
    { what: 'Load scripts, images and fonts from', domains: resources },
    { what: 'Embed pages from', domains: frames },
    { what: 'Use as base URL', domains: baseUris },
  ].filter(({ domains }) => domains.length > 0);
}

const devices: Readonly<Record<ViewRequirements['permissions'][number], string>> = {
  camera: 'the camera',
  microphone: 'the microphone',
  geolocation: 'your location',
  clipboardWrite: 'the clipboard (write)',
};

export function permissionsInWords({ permissions }: ViewRequirements): string {
  return permissions.map((name) => devices[name]).join(', ');
}

/** Key of a set of requirements: equal sets share a decision, a changed set needs a new one. */
export function wishesKey(server: string, uri: string, wishes: ViewRequirements): string {
  return JSON.stringify([server, uri, wishes]);
}
