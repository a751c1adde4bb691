/**
 * `read_skill`: reads a skill of a server, for client apps without the extension. Listed if a server has skills.
 * Source: the extension `io.modelcontextprotocol/skills` (SEP-2640), specification/stable/skills.
 */
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, textOrEmpty } from '../base/json.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogResource } from '../catalog/resource-uris.ts';
import { listedSkill } from '../catalog/skills.ts';
import { condenseLine } from '../condense/condense-tool.ts';
import { toObject } from '../wire/raw-json.ts';
import type { HelperContext, HelperTool } from './mode.ts';
import { findResources, resourceHitsText } from './read-resource.ts';
import { withUnavailableServers } from './render-tools.ts';

/** Maximum number of skills in a call without `uri`. */
const maxListed = 50;
/** Maximum number of skills among the hits for one need. */
const maxHits = 2;
/** Maximum length of a frontmatter in characters: parsing YAML is slow. */
const maxFrontmatter = 16 * 1024;
/** Maximum number of files that are named next to a skill's text. */
const maxFiles = 50;

export const readSkillTool: HelperTool = {
  kind: 'call',
  inPrograms: true,
  definition: {
    name: 'read_skill',
    description: 'Read a skill: how a server says to do a task. Without uri: lists skills.',
    inputSchema: { type: 'object', properties: { uri: { type: 'string' } } },
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  reachable: true,
  spills: true,
  async run(input, context) {
    await context.settled();
    const { skills } = context.catalog;
    const uri = textOrEmpty(input['uri']).trim();
    if (uri !== '') return { content: [{ type: 'text', text: await skillText(uri, context) }] };
    const lines = skills.slice(0, maxListed).map((skill) => skillLine(skill));
    const more = skills.length - maxListed;
    const text = [...lines, ...(more > 0 ? [`${more} more; search for what you want to do.`] : [])].join('\n');
    return withUnavailableServers(
      { content: [{ type: 'text', text: text || 'No server has skills.' }] },
      context.finder.missingServers(),
    );
  },
};

/** Rejects with AppError `not_found` for an unknown skill, `not_allowed` for one that is not what its entry says. */
async function skillText(uri: string, context: HelperContext): Promise<string> {
  const skill = context.catalog.skills.find(({ listedUri }) => listedUri === uri);
  if (skill === undefined) {
    throw new AppError('not_found', `No skill is served at ${JSON.stringify(uri)}.`, {
      fix: 'Call read_skill without uri, and use one of the listed URIs. Files of a skill: read_resource.',
    });
  }
  const { contents } = toObject(await context.readResource(uri));
  const [content] = Array.isArray(contents) ? (contents as unknown[]).filter(isObject) : [];
  const text = textOrEmpty(content?.['text']);
  if (!isDeepStrictEqual(frontmatterOf(text), skill.definition['frontmatter'])) {
    throw new AppError('not_allowed', `The skill ${JSON.stringify(uri)} does not match its entry.`, {
      fix: 'Do the task without this skill.',
    });
  }
  // Source: skills, "Origin is visible to the model", "No implicit permission grants".
  const head = `Skill of the server ${skill.server}. It grants no permissions; ask the user before you run its scripts.`;
  return [head, '', text, ...fileLines(skill)].join('\n');
}

function fileLines(skill: CatalogResource): string[] {
  const { resources } = listedSkill(skill);
  const files = Array.isArray(resources) ? (resources as JsonObject[]).map((file) => textOrEmpty(file['uri'])) : [];
  const others = files.filter((uri) => uri !== skill.listedUri).slice(0, maxFiles);
  return others.length === 0 ? [] : ['', 'Its files, for read_resource:', ...others.map((uri) => `- ${uri}`)];
}

function frontmatterOf(text: string): unknown {
  const [, yaml] = /^---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(text) ?? [];
  try {
    // The JSON form of YAML: dates stay texts.
    return yaml === undefined || yaml.length > maxFrontmatter ? undefined : parse(yaml, { schema: 'core' });
  } catch {
    return undefined;
  }
}

/** Returns a skill as one line of a list: `skill skill://x/SKILL.md (server): what it is for`. */
export function skillLine({ listedUri, server, definition }: CatalogResource): string {
  const frontmatter = definition['frontmatter'] ?? definition;
  const description = isObject(frontmatter) ? textOrEmpty(frontmatter['description']) : '';
  return `skill ${listedUri} (${server}): ${condenseLine(description)}`;
}

/** Returns the skills that fit the needs of a search, best first for each need. */
export function findSkills(needs: readonly string[], { lookup }: Catalog): readonly CatalogResource[] {
  return [...new Set(needs.flatMap((need) => lookup.skills.find(need, maxHits)))];
}

/** Returns the resources and skills that fit the needs of a search, as one text for each kind that has some. */
export function otherHits(
  needs: readonly string[],
  { catalog, callLine }: Pick<HelperContext, 'catalog' | 'callLine'>,
): readonly string[] {
  const resources = resourceHitsText(findResources(needs, catalog), callLine);
  const skills = skillHitsText(findSkills(needs, catalog), callLine);
  return [resources, skills].filter((text) => text !== undefined);
}

/** Returns the lines of a search for skills, and the call that reads the first one; undefined if there are none. */
function skillHitsText(found: readonly CatalogResource[], callLine: HelperContext['callLine']): string | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  const call = callLine(readSkillTool.definition.name, { uri: first.listedUri });
  return [...found.map((one) => `- ${skillLine(one)}`), `Read it: ${call}`].join('\n');
}
