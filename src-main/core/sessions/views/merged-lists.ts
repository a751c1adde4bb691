/**
 * The tools of a merged view: those of the mode, pinned ones, those of servers, and those that a session turned out to
 * need.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import { isTooltrayUri, wrapUri } from '../../catalog/resource-uris.ts';
import { toAppOnlyDefinition, isViewUri } from '../../servers/ui-metadata.ts';
import { awaitResult, shouldListAwait } from '../../modes/await-result-tool.ts';
import { readOwnResource } from '../../modes/mode.ts';
import { listsReadResource, readResourceTool } from '../../modes/read-resource.ts';
import { readSkillTool } from '../../modes/read-skill.ts';
import { skillsExtension } from '../../servers/extension-set.ts';
import { HeaderParamTools } from '../../servers/param-headers.ts';
import type { ProtocolKind } from '../../wire/protocol-kind.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { toObject } from '../../wire/raw-json.ts';
import { isNotFound } from '../session-view.ts';
import { sanitizeEntry } from './sanitize-entry.ts';
import type { MergedViewDeps } from './merged-view-deps.ts';
import type { SkillRequests } from './skill-requests.ts';

export class MergedTools {
  readonly #parts: MergedViewDeps;
  readonly #followsLists: boolean;
  readonly #awaits: () => boolean;
  readonly #repeating = new HeaderParamTools();
  #listed: { readonly era: ProtocolKind; readonly tools: string } | undefined;

  /**
   * `followsLists`: the client app lists again when notified; `awaits`: a call was
   * answered with a handle.
   */
  constructor(parts: MergedViewDeps, followsLists: boolean, awaits: () => boolean) {
    this.#parts = parts;
    this.#followsLists = followsLists;
    this.#awaits = awaits;
  }

  /** Returns the list for client apps of that protocol. */
  list(era: ProtocolKind): readonly JsonObject[] {
    const tools = this.#tools(era);
    this.#listed = { era, tools: JSON.stringify(tools) };
    return tools;
  }

  lists(name: string, era: ProtocolKind): boolean {
    return this.#tools(era).some((tool) => tool['name'] === name);
  }

  /** The listed form of a server's tool that requires arguments as headers. */
  withHeaders(name: string): JsonObject | undefined {
    const known = this.#parts.settings.current.view.catalog.lookup.tools.byListedName(name);
    // Most require none, and creating the list takes time.
    if (known === undefined || !this.#repeating.has(known.definition)) return undefined;
    return this.#tools('modern').find((tool) => tool['name'] === name && this.#repeating.has(tool));
  }

  /** Records the current list as delivered, unless one was. */
  watch(): void {
    if (this.#listed === undefined) this.list('modern');
  }

  /** Whether the delivered list has changed; reported once for each change. */
  differs(): boolean {
    const before = this.#listed;
    return before !== undefined && before.tools !== JSON.stringify(this.list(before.era));
  }

  #tools(era: ProtocolKind): readonly JsonObject[] {
    const { helpers } = this.#parts.core.modes;
    const { mode, view, extraTools } = this.#parts.settings.current;
    const own = mode.helpers.map((helper) => helper.definition);
    const names = new Set(own.map(({ name }) => name));
    const pinned = [...new Set(extraTools)].flatMap((name) =>
      names.has(name) ? [] : (helpers.get(name)?.definition ?? []),
    );
    const servers = mode.listed(view).map((tool) => sanitizeEntry('tools', tool, era));
    const { catalog, handles } = view;
    const isPinned = pinned.includes(readResourceTool.definition);
    const reads =
      mode.readsResources !== true && listsReadResource(catalog) && !isPinned ? [readResourceTool.definition] : [];
    const hasSkills = skillsExtension in (this.#parts.core.kind?.extensions ?? {});
    const skills = catalog.skills.length > 0 && !hasSkills ? [readSkillTool.definition] : [];
    const tools = [...own, ...pinned, ...servers, ...reads, ...skills];
    const mayAwait =
      handles === true &&
      shouldListAwait({ mode, era, tools, catalog, followsLists: this.#followsLists, used: this.#awaits() });
    const all = mayAwait ? [...tools, awaitResult.definition] : tools;
    return [...all, ...this.#besides(all, era)];
  }

  /**
   * Tools with a user interface that are not listed yet, and tools for interfaces, which apps hide from their models.
   */
  #besides(tools: readonly JsonObject[], era: ProtocolKind): readonly JsonObject[] {
    const { listedViews, ui, view } = this.#parts.settings.current;
    if (ui === undefined || ui === 'off') return [];
    const listed = new Set(tools.map((tool) => tool['name']));
    const shown = listedViews.filter((tool) => !listed.has(tool['name']));
    for (const tool of shown) listed.add(tool['name']);
    const forViews = view.catalog.viewTools.filter(({ isAlone, listedName }) => isAlone && !listed.has(listedName));
    return [...shown, ...forViews.map(({ definition }) => toAppOnlyDefinition(definition))].map((tool) =>
      sanitizeEntry('tools', tool, era),
    );
  }
}

/** The prompts of a merged view, which are those of the servers. */
export class MergedPrompts {
  readonly #parts: MergedViewDeps;

  constructor(parts: MergedViewDeps) {
    this.#parts = parts;
  }

  /** Returns the list for client apps of that protocol. */
  list(era: ProtocolKind): readonly JsonObject[] {
    return this.#parts.settings.current.view.catalog.prompts.map((prompt) =>
      sanitizeEntry('prompts', { ...prompt.definition, name: prompt.listedName }, era),
    );
  }

  async get(params: JsonObject, context: CallerContext): Promise<Result> {
    const { core, links, lookUp } = this.#parts;
    const prompt = await lookUp.prompt(params['name'], context);
    const answer = await core.servers
      .get(prompt.server)
      .request('prompts/get', { ...params, name: prompt.name }, context);
    core.flow.recordText(`${prompt.server}: the prompt ${prompt.name}`, prompt.server, answer, context);
    links.note(prompt.server, answer);
    return answer;
  }
}

/**
 * The resources of a merged view: those of the servers, and our own if the mode lists them; ours can always be read.
 */
export class MergedResources {
  readonly #parts: MergedViewDeps;
  readonly #skills: Pick<SkillRequests, 'verify' | 'assertAccepted'>;

  constructor(parts: MergedViewDeps, skills: Pick<SkillRequests, 'verify' | 'assertAccepted'>) {
    this.#parts = parts;
    this.#skills = skills;
  }

  /** Returns the list for client apps of that protocol. */
  list(key: 'resources' | 'resourceTemplates', era: ProtocolKind): readonly JsonObject[] {
    const { mode, view } = this.#parts.settings.current;
    const identifier = key === 'resources' ? 'uri' : 'uriTemplate';
    const listed = view.catalog[key].map((resource) =>
      sanitizeEntry(key, { ...resource.definition, [identifier]: resource.listedUri }, era),
    );
    const own = (mode.resources ?? []).flatMap(({ definition }) => (identifier in definition ? [definition] : []));
    return [...listed, ...own];
  }

  async read(params: JsonObject, context: CallerContext): Promise<Result> {
    const { contexts, core, links, lookUp } = this.#parts;
    const uri = uriOf(params);
    const own = await readOwnResource(core.modes.resources, uri, contexts.make('resources/read', {}, context));
    if (own !== undefined) return { contents: [own] };
    const target = await lookUp.resource(uri, context);
    this.#skills.assertAccepted(target);
    try {
      const answer = await core.servers
        .get(target.server)
        .request('resources/read', { ...params, uri: target.uri }, context);
      await this.#skills.verify(target, answer);
      core.flow.recordText(`${target.server}: ${target.uri}`, target.server, answer, context);
      links.note(target.server, answer);
      return isViewUri(uri) && uri !== target.uri ? underUri(answer, target.uri, uri) : answer;
    } catch (error) {
      throw isNotFound(error) ? lookUp.noResource(uri) : error;
    }
  }

  async subscribe(uri: string, context: CallerContext): Promise<Result> {
    const { core, lookUp } = this.#parts;
    const target = await lookUp.resource(uri, context);
    return core.servers.get(target.server).subscribe(target.uri, context);
  }

  async unsubscribe(uri: string, context: CallerContext): Promise<Result> {
    const { core, lookUp } = this.#parts;
    const target = await lookUp.resource(uri, context);
    return core.servers.get(target.server).unsubscribe(target.uri, context);
  }

  /** The URI under which a client app knows a server's resource. */
  listedUri(server: string, uri: string): string {
    const { resources } = this.#parts.core.catalog.current;
    const known = resources.find((resource) => resource.server === server && resource.uri === uri);
    if (known !== undefined) return known.listedUri;
    return isTooltrayUri(uri) || resources.some((resource) => resource.uri === uri) ? wrapUri(server, uri) : uri;
  }
}

/** Content under another address: an app that shows a user interface accepts no other. */
function underUri(answer: Result, own: string, uri: string): Result {
  const { contents, ...rest } = toObject(answer);
  if (!Array.isArray(contents)) return answer;
  const named = (contents as unknown[]).map((one) => (isObject(one) && one['uri'] === own ? { ...one, uri } : one));
  return { ...rest, contents: named };
}

function uriOf(params: JsonObject): string {
  if (typeof params['uri'] === 'string') return params['uri'];
  throw new RpcError(rpcCode.invalidParams, 'The uri of a resource is missing.');
}
