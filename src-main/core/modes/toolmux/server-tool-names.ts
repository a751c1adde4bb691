/** The name of each server's tool in gateway mode: the server's own where client apps can take it. */
import type { Catalog } from '../../catalog/catalog.ts';
import { NameGiver, slug } from '../../catalog/names.ts';

/** By server, in the order of the config. A server called like one of our own tools gets `srv_` before its name. */
export function serverToolNames({ servers, slugs, reserved }: Catalog): ReadonlyMap<string, string> {
  const names = new NameGiver(reserved);
  return new Map(
    servers.map((server) => {
      const plain = /^[A-Za-z_][\w-]*$/.test(server) ? server : (slugs.get(server) ?? slug(server));
      return [server, names.give(reserved.has(plain) ? 'srv' : undefined, plain, server)];
    }),
  );
}
