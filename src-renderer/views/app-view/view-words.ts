/** What a view declares that it needs, in words. Pure. */
import type { ViewWishes } from '../../../src-main/rpc/contract.ts';

interface WishRow {
  readonly what: string;
  readonly domains: readonly string[];
}

/** What it would reach, and for what, verbatim. */
export function networkRows({ connect, resources, frames, baseUris }: ViewWishes): readonly WishRow[] {
  return [
    { what: 'Ask', domains: connect },
    { what: 'Load scripts, pictures, fonts from', domains: resources },
    { what: 'Show pages of', domains: frames },
    { what: 'Begin its addresses with', domains: baseUris },
  ].filter(({ domains }) => domains.length > 0);
}

const devices: Readonly<Record<ViewWishes['permissions'][number], string>> = {
  camera: 'the camera',
  microphone: 'the microphone',
  geolocation: 'where you are',
  clipboardWrite: 'writing to the clipboard',
};

export function permissionsInWords({ permissions }: ViewWishes): string {
  return permissions.map((name) => devices[name]).join(', ');
}

/** The same wishes have the same; others are asked about anew. */
export function wishesKey(server: string, uri: string, wishes: ViewWishes): string {
  return JSON.stringify([server, uri, wishes]);
}
