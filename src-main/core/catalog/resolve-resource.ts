/** Finds the server that a resource URI belongs to: listed, wrapped with its server, or matching a template. */
import { AppError } from '../base/errors.ts';
import { type Catalog, unprefixUri, unwrapUri } from './catalog.ts';

export interface ResourceTarget {
  readonly server: string;
  /** As that server calls it. */
  readonly uri: string;
}

/**
 * The servers that may have it, the likeliest first: one where it is listed or fits a template, else every server with
 * resources (a link inside an answer may point at something no list shows).
 */
export function resourceTargets(catalog: Catalog, uri: string): readonly ResourceTarget[] {
  const listed = catalog.resources.find((resource) => resource.listedUri === uri);
  if (listed !== undefined) return [{ server: listed.server, uri: listed.uri }];
  const wrapped = unwrapUri(uri);
  if (wrapped !== undefined && catalog.servers.includes(wrapped.server)) return [wrapped];
  const templates = targetsByTemplate(catalog, uri);
  if (templates.length > 0) return templates;
  const holders = unique([...catalog.resources, ...catalog.resourceTemplates].map((resource) => resource.server));
  return holders.map((server) => ({ server, uri }));
}

/** A prefix that stands in the listed template stands in what was made of it, too. */
function targetsByTemplate({ resourceTemplates }: Catalog, uri: string): ResourceTarget[] {
  const found = resourceTemplates.flatMap(({ server, uri: template, prefix }): ResourceTarget[] => {
    const own = prefix === undefined ? uri : unprefixUri(prefix, uri);
    return own !== undefined && fits(template, own) ? [{ server, uri: own }] : [];
  });
  return found.filter(({ server }, index) => found.findIndex((other) => other.server === server) === index);
}

/** Source: MCP 2026-07-28, server/resources (a resource that is not found is -32602 there, -32002 before). */
export function resourceNotFound(uri: string): AppError {
  return new AppError('not_found', `Resource ${JSON.stringify(uri)} was not found.`, {
    fix: 'List the resources there are, and use one of their URIs.',
    data: { uri },
  });
}

/** Whether a URI could come from an RFC 6570 template: literals must stand, expressions may be anything. */
function fits(template: string, uri: string): boolean {
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
