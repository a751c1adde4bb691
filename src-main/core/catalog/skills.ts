/**
 * Skills of servers in the catalog: which file belongs to which skill, and under which address client apps know it.
 * Source: the extension `io.modelcontextprotocol/skills` (SEP-2640), specification/stable/skills.
 */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../base/json.ts';
import { type CatalogResource, listSkillUris, type ResourceServer, wrapUri } from './resource-uris.ts';

const skillFile = '/SKILL.md';
/** Maximum number of slashes in the address of a skill. */
const maxDepth = 32;

/** A file of a skill, as its server publishes it. */
interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * Lists the valid skills. One whose files could be confused with what another server lists has an address with its
 * server. Source: skills, "Name collisions are an impersonation surface".
 */
export function listSkills(
  servers: readonly ResourceServer[],
  resources: readonly CatalogResource[],
): readonly CatalogResource[] {
  const skills = listSkillUris(servers).filter(isValidSkill);
  const serversByRoot = new Map(skills.map(({ listedUri }) => [rootOf(listedUri), new Set<string>()]));
  if (skills.length > 0) {
    for (const { listedUri, server } of [...resources, ...skills])
      for (const folder of foldersOf(listedUri)) serversByRoot.get(folder)?.add(server);
  }
  return skills.map((skill) => {
    const found = [...(serversByRoot.get(rootOf(skill.listedUri)) ?? [])];
    const isShared = found.some((server) => server !== skill.server);
    return isShared ? { ...skill, listedUri: wrapUri(skill.server, skill.uri) } : skill;
  });
}

/** The folders that contain an address, each with a slash at its end; the address may be the innermost one itself. */
function foldersOf(uri: string): string[] {
  const folders = [`${uri}/`];
  for (let end = uri.indexOf('/'); end >= 0 && folders.length <= maxDepth; end = uri.indexOf('/', end + 1))
    folders.push(uri.slice(0, end + 1));
  return folders;
}

/** Whether the entry names the skill and lists its files, or says that they are dynamic. */
export function isValidSkill({ uri, definition }: CatalogResource): boolean {
  const { frontmatter, resources } = definition;
  if (!uri.endsWith(skillFile) || uri.split('/', maxDepth + 2).length > maxDepth + 1) return false;
  if (!isObject(frontmatter)) return false;
  const isNamed = typeof frontmatter['name'] === 'string' && typeof frontmatter['description'] === 'string';
  return isNamed && (resources === 'dynamic' || filesOf(definition).some((file) => file.uri === uri));
}

/** Returns a skill with the texts by which a search finds it. */
export function skillAsResource(skill: CatalogResource): CatalogResource {
  return { ...skill, definition: skill.definition['frontmatter'] as JsonObject };
}

/** The files of a skill, by its entry; none if its content is dynamic. */
function filesOf({ resources }: JsonObject): readonly SkillFile[] {
  if (!Array.isArray(resources)) return [];
  return (resources as unknown[]).filter(
    (file): file is JsonObject & SkillFile =>
      isObject(file) &&
      typeof file['uri'] === 'string' &&
      typeof file['digest'] === 'string' &&
      typeof file['size'] === 'number',
  );
}

/** The directory of a skill, with a slash at its end. */
function rootOf(uri: string): string {
  return uri.slice(0, 1 - skillFile.length);
}

/** Whether a file or directory belongs to the skill with this address. */
export function isInside(skillUri: string, uri: string): boolean {
  const root = rootOf(skillUri);
  return uri.startsWith(root) || uri === root.slice(0, -1);
}

/** The innermost skill that contains a file or directory, and the server's own address of that. */
export function skillAt(
  skills: readonly CatalogResource[],
  uri: string,
): { readonly skill: CatalogResource; readonly uri: string } | undefined {
  const skill = innermost(skills.filter(({ listedUri }) => isInside(listedUri, uri)));
  if (skill === undefined) return undefined;
  return { skill, uri: `${rootOf(skill.uri)}${uri.slice(rootOf(skill.listedUri).length)}`.replace(/\/$/, '') };
}

/** The same by the server's own address. */
export function skillOf(skills: readonly CatalogResource[], server: string, uri: string): CatalogResource | undefined {
  return innermost(skills.filter((skill) => skill.server === server && isInside(skill.uri, uri)));
}

function innermost(skills: readonly CatalogResource[]): CatalogResource | undefined {
  return skills.toSorted((a, b) => b.uri.length - a.uri.length)[0];
}

/** The address under which client apps know a file of a skill. */
export function listedFileUri(skill: CatalogResource, uri: string): string {
  const root = rootOf(skill.uri);
  return uri.startsWith(root) ? rootOf(skill.listedUri) + uri.slice(root.length) : wrapUri(skill.server, uri);
}

/** The entry of a skill for client apps: the server's, with the listed addresses. */
export function listedSkill(skill: CatalogResource): JsonObject {
  const { resources } = skill.definition;
  const files = filesOf(skill.definition).map((file) => ({ ...file, uri: listedFileUri(skill, file.uri) }));
  return { ...skill.definition, uri: skill.listedUri, resources: resources === 'dynamic' ? resources : files };
}

/** Whether a directory read may show this child: only what the accepted entry contains. */
export function hasEntry({ definition }: CatalogResource, uri: string): boolean {
  if (definition['resources'] === 'dynamic') return true;
  return filesOf(definition).some((file) => file.uri === uri || file.uri.startsWith(`${uri}/`));
}

/**
 * Whether the content of a file is what the accepted entry of its skill describes: size and digest are the same, and
 * the entry has the file. Dynamic skills have nothing to compare. Source: skills, "Verification on Read".
 */
export function isAcceptedFile({ definition }: CatalogResource, uri: string, contents: unknown): boolean {
  if (definition['resources'] === 'dynamic') return true;
  const file = filesOf(definition).find((one) => one.uri === uri);
  const [content, ...more] = Array.isArray(contents) ? (contents as unknown[]) : [];
  if (file === undefined || !isObject(content) || more.length > 0) return false;
  const { text, blob } = content;
  const bytes =
    typeof text === 'string' ? Buffer.from(text) : Buffer.from(typeof blob === 'string' ? blob : '', 'base64');
  return bytes.length === file.size && `sha256:${createHash('sha256').update(bytes).digest('hex')}` === file.digest;
}
