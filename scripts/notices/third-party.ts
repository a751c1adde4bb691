/** The notices that bundled packages ask for: each that got into dist/, with its licence in its own words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a build says about what it wrote; an asset may be a font or a style of a package. */
export interface BuildOutput {
  readonly output: readonly (
    | { readonly type: 'chunk'; readonly moduleIds: readonly string[] }
    | { readonly type: 'asset'; readonly originalFileNames: readonly string[] }
  )[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
  readonly repository?: string | { readonly url: string };
}

/** The folders of the packages that the parts come from; names of files may be relative to `root`. */
export function packagesIn(outputs: readonly BuildOutput[], root: string): string[] {
  const files = outputs.flatMap(({ output }) =>
    output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : part.originalFileNames)),
  );
  // Modules that a plugin made up begin with a zero.
  const places = files.map((file) => resolve(root, file.replace(/^\0/, '')).replaceAll('\\', '/'));
  const folders = places.map((place) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(place)?.[1]);
  return [...new Set(folders)].filter((folder) => folder !== undefined);
}

/** Throws where a package says neither its licence's text nor its name. */
export function noticesOf(folders: readonly string[]): string {
  const byLicence = new Map<string, string[]>();
  for (const folder of folders) {
    const { name, version } = manifestOf(folder);
    const licence = licenceOf(folder);
    byLicence.set(licence, [...(byLicence.get(licence) ?? []), `${name} ${version}`]);
  }
  const parts = [...byLicence].map(([licence, names]) => `${names.sort().join('\n')}\n\n${licence}\n`).sort();
  return ['Tooltray contains the following software of others.\n', ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
  const { name, license, author, repository } = manifestOf(folder);
  if (license === undefined) throw new Error(`${name} does not say under which licence it may be passed on.`);
  const by = typeof author === 'string' ? author : author?.name;
  const place = typeof repository === 'string' ? repository : repository?.url;
  return [`Licence: ${license}`, by && `By: ${by}`, place && `Source: ${place}`].filter(Boolean).join('\n');
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
