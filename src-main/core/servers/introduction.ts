/** What a server says of itself when it is greeted, as a definition that is held against what a person accepted. */
import { isObject, type JsonObject, objectOf } from '../base/json.ts';
import { metaKey } from '../wire/eras.ts';
import type { Handshake } from './handshake.ts';

/** Members that speak to programs; what else is there may be read by a model. */
const plainMembers: ReadonlySet<string> = new Set(
  'protocolVersion capabilities serverInfo supportedVersions resultType ttlMs cacheScope _meta instructions'.split(' '),
);

/** The version is left out: it is another one with each release, and proves nothing. */
export function introductionOf({ instructions, raw, serverInfo }: Handshake): JsonObject {
  const told = Object.fromEntries(Object.entries(raw).filter(([key]) => !plainMembers.has(key)));
  const { version: _version, ...info } = serverInfo;
  const { [metaKey.serverInfo]: _info, ...meta } = objectOf(raw['_meta']);
  return {
    serverInfo: info,
    ...(instructions !== undefined && { instructions }),
    ...(Object.keys(told).length > 0 && { told }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** The same greeting with another introduction. */
export function withIntroduction(greeting: Handshake, introduced: JsonObject): Handshake {
  const { raw } = greeting;
  const { version } = greeting.serverInfo;
  const { instructions, serverInfo: info, told, _meta: meta } = introduced;
  const serverInfo = { ...objectOf(info), ...(version !== undefined && { version }) };
  const text = typeof instructions === 'string' ? instructions : undefined;
  const plain = Object.entries(raw).filter(([key]) => plainMembers.has(key) && key !== 'instructions');
  const wasMeta = objectOf(raw['_meta']);
  return {
    ...greeting,
    serverInfo,
    instructions: text,
    raw: {
      ...Object.fromEntries(plain),
      ...objectOf(told),
      ...(text !== undefined && { instructions: text }),
      ...(isObject(raw['serverInfo']) && { serverInfo }),
      ...(isObject(raw['_meta']) && {
        _meta: {
          ...objectOf(meta),
          ...(Object.hasOwn(wasMeta, metaKey.serverInfo) && { [metaKey.serverInfo]: serverInfo }),
        },
      }),
    },
  };
}
