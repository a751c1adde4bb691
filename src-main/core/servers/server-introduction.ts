/** A server's `initialize` result, as a definition that is compared with the pinned one. */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { metaKeys } from '../wire/protocol-kind.ts';
import type { Handshake } from './handshake.ts';

/** Members for programs; a model may read all others. */
const plainMembers: ReadonlySet<string> = new Set(
  'protocolVersion capabilities serverInfo supportedVersions resultType ttlMs cacheScope _meta instructions'.split(' '),
);

/** The version is omitted, because it changes with each release. */
export function toIntroduction({ instructions, raw, serverInfo }: Handshake): JsonObject {
  const others = Object.fromEntries(Object.entries(raw).filter(([key]) => !plainMembers.has(key)));
  const { version: _version, ...info } = serverInfo;
  const { [metaKeys.serverInfo]: _info, ...meta } = objectOrEmpty(raw['_meta']);
  return {
    serverInfo: info,
    ...(instructions !== undefined && { instructions }),
    ...(Object.keys(others).length > 0 && { told: others }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** The same `initialize` result with other instructions. */
export function withIntroduction(greeting: Handshake, introduced: JsonObject): Handshake {
  const { raw } = greeting;
  const { version } = greeting.serverInfo;
  const { instructions, serverInfo: info, told, _meta: meta } = introduced;
  const serverInfo = { ...objectOrEmpty(info), ...(version !== undefined && { version }) };
  const text = typeof instructions === 'string' ? instructions : undefined;
  const plain = Object.entries(raw).filter(([key]) => plainMembers.has(key) && key !== 'instructions');
  const wasMeta = objectOrEmpty(raw['_meta']);
  return {
    ...greeting,
    serverInfo,
    instructions: text,
    raw: {
      ...Object.fromEntries(plain),
      ...objectOrEmpty(told),
      ...(text !== undefined && { instructions: text }),
      ...(isObject(raw['serverInfo']) && { serverInfo }),
      ...(isObject(raw['_meta']) && {
        _meta: {
          ...objectOrEmpty(meta),
          ...(Object.hasOwn(wasMeta, metaKeys.serverInfo) && { [metaKeys.serverInfo]: serverInfo }),
        },
      }),
    },
  };
}
