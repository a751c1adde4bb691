/** Finds the server that a resource URI belongs to: listed, wrapped with its server, or matching a template. */
import { AppError } from '../base/errors.ts';
import { closestMatch } from '../base/text-format.ts';
import type { Catalog } from './catalog.ts';
import { skillAt } from './skills.ts';
import { isTooltrayUri, unprefixUri, unwrapUri, wrapUri } from './resource-uris.ts';

export interface ResourceTarget {
  readonly server: string;
  /** The server's own URI for it. */
  readonly uri: string;
}

/**
 * The server of a resource: where it is listed, the one that returned it in a result (`shownBy`; lists need not
 * contain link targets), or one with a matching template. No other server is queried, because a server could answer
 * for another's address. Throws AppError if several have it, instead of choosing the first.
 */
export function resolveResource(
  catalog: Catalog,
  uri: string,
  shownBy: readonly string[] = [],
): ResourceTarget | undefined {
  // A file of a skill belongs to the server of the skill, whatever else lists its address.
  const skill = skillAt(catalog.skills, uri);
  if (skill !== undefined) return { server: skill.skill.server, uri: skill.uri };
  const known = [...catalog.resources, ...catalog.views];
  const listed = known.find((resource) => resource.listedUri === uri);
  if (listed !== undefined) return { server: listed.server, uri: listed.uri };
  const wrapped = unwrapUri(uri);
  if (isTooltrayUri(uri))
    return wrapped !== undefined && catalog.servers.includes(wrapped.server) ? wrapped : undefined;
  const owners = known.filter((resource) => resource.uri === uri && resource.prefix === undefined);
  if (owners.length > 0) return onlyOne(uri, owners);
  const there = shownBy.filter((server) => catalog.servers.includes(server));
  if (there.length > 0)
    return onlyOne(
      uri,
      there.map((server) => ({ server, uri })),
    );
  return targetByTemplate(catalog, uri);
}

/** A template's prefix is also part of URIs made from it. */
function targetByTemplate({ resourceTemplates }: Catalog, uri: string): ResourceTarget | undefined {
  const found = resourceTemplates.flatMap(({ server, uri: template, prefix }) => {
    const own = prefix === undefined ? uri : unprefixUri(prefix, uri);
    return own !== undefined && matchesTemplate(template, own)
      ? [{ server, uri: own, said: literalLength(template) }]
      : [];
  });
  // A template without literals matches every address.
  const most = Math.max(...found.map(({ said }) => said));
  const closest = found.filter(({ said }) => said === most).map(({ server, uri: own }) => ({ server, uri: own }));
  return closest.length === 0 ? undefined : onlyOne(uri, closest);
}

/** Throws AppError unless exactly one server has it. */
function onlyOne(uri: string, targets: readonly ResourceTarget[]): ResourceTarget {
  const [first, ...others] = targets as [ResourceTarget, ...ResourceTarget[]];
  if (others.every(({ server }) => server === first.server)) return { server: first.server, uri: first.uri };
  const ways = targets.map((target) => wrapUri(target.server, target.uri));
  throw new AppError('bad_request', `Several servers provide the resource ${JSON.stringify(uri)}.`, {
    fix: `Use one of: ${unique(ways).join(' or ')}.`,
  });
}

function literalLength(template: string): number {
  return template.replace(/\{[^}]*\}/g, '').length;
}

/** Source: MCP 2026-07-28, server/resources (an unknown resource is -32602 there, -32002 before). */
export function resourceNotFoundError(uri: string, { resources, resourceTemplates }: Catalog): AppError {
  const near = resources.filter(({ listedUri }) => Math.abs(listedUri.length - uri.length) < 3 && uri.length < 300);
  const meant = closestMatch(
    uri,
    near.map(({ listedUri }) => listedUri),
  );
  const holders = unique([...resources, ...resourceTemplates].map(({ server }) => server));
  const candidates =
    holders.length === 0 || isTooltrayUri(uri)
      ? ''
      : ` To read one that a server mentions, use ${wrapUri('SERVER', uri)}, with one of: ${holders.slice(0, 20).join(', ')}.`;
  return new AppError('not_found', notFoundText(uri), {
    fix: meant === undefined ? `List the resources and use one of their URIs.${candidates}` : `Did you mean ${meant}?`,
    data: { uri },
  });
}

/** The beginning of every error about an unknown resource. */
export function notFoundText(uri: string): string {
  return `Resource ${JSON.stringify(uri)} was not found.`;
}

/** Whether a URI could come from an RFC 6570 template: literals must match, expressions match anything. */
export function matchesTemplate(template: string, uri: string): boolean {
  const literals = template.split(/\{[^}]*\}/);
  if (literals.length === 1) return template === uri;
  const [first, last] = [literals[0] as string, literals[literals.length - 1] as string];
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return at <= uri.length - last.length;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
