/**
 * Serves the skills of a view: those of its servers, in the form that the user has accepted.
 * Source: the extension `io.modelcontextprotocol/skills` (SEP-2640), specification/stable/skills.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../../base/json.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import { type CatalogResource, unwrapUri, wrapUri } from '../../catalog/resource-uris.ts';
import type { ResourceTarget } from '../../catalog/resolve-resource.ts';
import {
  hasEntry,
  isAcceptedFile,
  isInside,
  isValidSkill,
  listedFileUri,
  listedSkill,
  skillAt,
  skillOf,
} from '../../catalog/skills.ts';
import { skillsExtension } from '../../servers/extension-set.ts';
import type { ManagedServer } from '../../servers/managed-server.ts';
import { refreshListings } from '../../servers/server-manager.ts';
import { scanDefinition } from '../../trust/scan/scan.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { RawJson, toObject } from '../../wire/raw-json.ts';

/** Maximum size of a skill, in bytes. Source: skills, "Limits". */
const maxSkillBytes = 16 * 1024 * 1024;
/** Larger responses are not verified, and so not returned; in bytes. Base64 and escapes make a file longer. */
const maxResponseBytes = 2 * maxSkillBytes;

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
    return { skill: listedSkill(skill ?? (await this.#unlisted(uri, context))) };
  }

  /** Throws AppError `not_allowed` for a file of a skill that is new and that the user has not accepted. */
  assertAccepted({ server, uri }: ResourceTarget): void {
    const pins = this.#source.servers().find(({ config }) => config.name === server)?.pins;
    const held = pins?.heldChanges.find(
      ({ kind, name, before }) => kind === 'skill' && before === undefined && isInside(name, uri),
    );
    // An accepted skill may be inside of the new one, or around it.
    if (held === undefined || (skillOf(this.#skills(), server, uri)?.uri.length ?? 0) > held.name.length) return;
    pins?.assertAccepted('skill', held.name);
  }

  /**
   * Rejects with AppError `not_allowed` if the content of a skill's file differs from the entry that the user has
   * accepted, is too large to compare, or if its instructions are suspicious.
   * If the content differs, the listing of its server is read again, so that the change can be reviewed.
   */
  async verify({ server, uri }: ResourceTarget, result: Result): Promise<void> {
    const skill = skillOf(this.#skills(), server, uri);
    if (skill === undefined) return;
    if (result instanceof RawJson && result.byteLength > maxResponseBytes)
      throw tooLarge(server, uri, 'for a file of a skill', maxSkillBytes / 1024 / 1024);
    // Parsed and hashed in two turns. Without parseJson, whose preserved numbers do not matter here.
    const isLarge = result instanceof RawJson;
    const { contents } = isLarge ? objectOrEmpty(JSON.parse(result.text())) : result;
    if (isLarge) await nextTurn();
    if (isLarge && uri === skill.uri) throw tooLarge(server, uri, 'for the instructions of a skill', 1);
    const { servers, settleMs } = this.#source;
    if (isAcceptedFile(skill, uri, contents)) {
      if (uri !== skill.uri) return;
      const pins = servers().find(({ config }) => config.name === server)?.pins;
      await pins?.evaluateSkillText(uri, instructionsIn(contents));
      return;
    }
    void refreshListings(
      servers().filter(({ config }) => config.name === server),
      settleMs,
    );
    throw new AppError('not_allowed', `${JSON.stringify(uri)} of ${server} does not match its skill.`, {
      fix: 'The skill may have changed. Review the change in Tooltray, then list the skills again.',
    });
  }

  /**
   * Asks the server for a skill that is in no list; its address names the server, or is inside of a listed skill of it,
   * or only one server has skills. Rejects with RpcError `invalidParams`.
   * Source: skills, "Getting a Skill": a partial listing does not prove that there are no other skills.
   */
  async #unlisted(uri: string, context: CallerContext): Promise<CatalogResource> {
    const unknown = new RpcError(rpcCode.invalidParams, `No skill is served at ${JSON.stringify(uri)}.`);
    const inside = skillAt(this.#skills(), uri);
    const servers = this.#servers();
    const only = servers.length === 1 ? servers[0]?.config.name : undefined;
    const target =
      inside === undefined
        ? (unwrapUri(uri) ?? (only === undefined ? undefined : { server: only, uri }))
        : { server: inside.skill.server, uri: inside.uri };
    const server = servers.find(({ config }) => config.name === target?.server);
    if (target === undefined || server === undefined) throw unknown;
    this.assertAccepted(target);
    const { skill } = toObject(await server.request('skills/get', { uri: target.uri }, context));
    if (!isObject(skill) || skill['uri'] !== target.uri) throw unknown;
    const found: CatalogResource = { ...target, listedUri: wrapUri(target.server, target.uri), definition: skill };
    if (!isValidSkill(found) || scanDefinition(skill, 'prompt').findings.some(({ tier }) => tier === 'block')) {
      throw new AppError('not_allowed', `The skill ${JSON.stringify(uri)} of ${target.server} cannot be verified.`, {
        fix: 'Do the task without this skill.',
      });
    }
    return found;
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

function tooLarge(server: string, uri: string, what: string, mebibytes: number): AppError {
  return new AppError('not_allowed', `${JSON.stringify(uri)} of ${server} is too large ${what}.`, {
    fix: `The limit is ${mebibytes} MiB. The server can offer it as a resource outside of the skill.`,
  });
}

function instructionsIn(contents: unknown): string {
  const [content] = Array.isArray(contents) ? (contents as unknown[]).filter(isObject) : [];
  return textOrEmpty(content?.['text']);
}
