/**
 * Serves the skills of a view: those of its servers, in the form that the user has accepted.
 * Source: the extension `io.modelcontextprotocol/skills` (SEP-2640), specification/stable/skills.
 */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../../base/json.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { CatalogResource } from '../../catalog/resource-uris.ts';
import type { ResourceTarget } from '../../catalog/resolve-resource.ts';
import { hasEntry, isAcceptedFile, listedFileUri, listedSkill, skillAt, skillOf } from '../../catalog/skills.ts';
import { skillsExtension } from '../../servers/extension-set.ts';
import type { ManagedServer } from '../../servers/managed-server.ts';
import { refreshListings } from '../../servers/server-manager.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { RawJson, toObject } from '../../wire/raw-json.ts';

/** Larger files of skills are not verified, and so not returned; in bytes of the response. */
const maxFileBytes = 4 * 1024 * 1024;

export const skillMethods: ReadonlySet<string> = new Set(['skills/list', 'skills/get', 'resources/directory/read']);

interface SkillSource {
  /** The accepted skills. */
  readonly skills: () => readonly CatalogResource[];
  readonly servers: () => readonly ManagedServer[];
  /** Resolves when the servers are listed, or have had their time. */
  readonly settled: () => Promise<unknown>;
  readonly settleMs: number;
}

export class SkillRequests {
  readonly #source: SkillSource;

  constructor(source: SkillSource) {
    this.#source = source;
  }

  /** Handles one of `skillMethods`. Rejects with RpcError `invalidParams` for an unknown skill or directory. */
  async handle(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    await this.#source.settled();
    if (this.#servers().length === 0) throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`);
    if (method === 'skills/list') return { skills: this.#skills().map((skill) => listedSkill(skill)) };
    const uri = textOrEmpty(params['uri']);
    if (method !== 'skills/get') return this.#directory(uri, params, context);
    const skill = this.#skills().find(({ listedUri }) => listedUri === uri);
    if (skill === undefined) throw new RpcError(rpcCode.invalidParams, `No skill is served at ${JSON.stringify(uri)}.`);
    return { skill: listedSkill(skill) };
  }

  /**
   * Throws AppError `not_allowed` if the content of a skill's file differs from the entry that the user has accepted, or
   * is too large to compare.
   * The listing of its server is then read again, so that the change can be reviewed.
   */
  verify({ server, uri }: ResourceTarget, result: Result): void {
    const skill = skillOf(this.#skills(), server, uri);
    if (skill === undefined) return;
    if (result instanceof RawJson && result.byteLength > maxFileBytes) {
      throw new AppError('not_allowed', `${JSON.stringify(uri)} of ${server} is too large for a file of a skill.`, {
        fix: `The limit is ${maxFileBytes / 1024 / 1024} MB per file of a skill. The server can offer it as a resource outside of the skill.`,
      });
    }
    if (isAcceptedFile(skill, uri, toObject(result)['contents'])) return;
    const { servers, settleMs } = this.#source;
    void refreshListings(
      servers().filter(({ config }) => config.name === server),
      settleMs,
    );
    throw new AppError('not_allowed', `${JSON.stringify(uri)} of ${server} does not match its skill.`, {
      fix: 'The skill may have changed. Review the change in Tooltray, then list the skills again.',
    });
  }

  async #directory(uri: string, params: JsonObject, context: CallerContext): Promise<Result> {
    const found = skillAt(this.#skills(), uri);
    const server =
      found === undefined ? undefined : this.#servers().find((one) => one.config.name === found.skill.server);
    const settings = objectOrEmpty(server?.handshake?.capabilities['extensions'])[skillsExtension];
    if (found === undefined || server === undefined || objectOrEmpty(settings)['directoryRead'] !== true)
      throw new RpcError(rpcCode.invalidParams, `${JSON.stringify(uri)} is not a directory of a skill.`);
    const { skill } = found;
    const result = toObject(await server.request('resources/directory/read', { ...params, uri: found.uri }, context));
    const { resources } = result;
    const children = Array.isArray(resources) ? (resources as unknown[]).filter(isObject) : [];
    const listed = children.flatMap((child) => {
      const own = textOrEmpty(child['uri']);
      return hasEntry(skill, own) ? [{ ...child, uri: listedFileUri(skill, own) }] : [];
    });
    return { ...result, resources: listed };
  }

  #skills(): readonly CatalogResource[] {
    return this.#source.skills();
  }

  /** The servers that declare the extension. */
  #servers(): readonly ManagedServer[] {
    return this.#source
      .servers()
      .filter(({ handshake }) => skillsExtension in objectOrEmpty(handshake?.capabilities['extensions']));
  }
}
