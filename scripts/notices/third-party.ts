/**
 * The notices required by bundled packages: each package in dist/, and software compiled into it, with the license
 * text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Inside, insidePackages } from './inside-packages.ts';

/** A build's description of its output; an asset may be a font or a style of a package. */
export interface BuildOutput {
  readonly output: readonly (
    | { readonly type: 'chunk'; readonly moduleIds: readonly string[] }
    | { readonly type: 'asset'; readonly originalFileNames: readonly string[] }
  )[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** The folders of the packages that the parts come from; file names may be relative to `root`. */
export function packagesIn(outputs: readonly BuildOutput[], root: string): string[] {
  const files = outputs.flatMap(({ output }) =>
    output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : part.originalFileNames)),
  );
  // Virtual modules of plugins begin with a NUL.
  const places = files.map((file) => resolve(root, file.replace(/^\0/, '')).replaceAll('\\', '/'));
  const folders = places.map((place) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(place)?.[1]);
  return [...new Set(folders)].filter((folder) => folder !== undefined);
}

/** Throws if a package has no license text, or its version has not been reviewed. */
export function noticesOf(
  folders: readonly string[],
  inside: Readonly<Record<string, Inside>> = insidePackages,
): string {
  const byLicence = new Map<string, string[]>();
  const note = (licence: string, name: string): void =>
    void byLicence.set(licence, [...(byLicence.get(licence) ?? []), name]);
  for (const folder of folders) {
    const manifest = manifestOf(folder);
    const known = Object.hasOwn(inside, manifest.name) ? inside[manifest.name] : undefined;
    const title = `${manifest.name} ${manifest.version}`;
    if (known && known.version !== manifest.version) {
      throw new Error(`Look what ${title} has inside: scripts/notices/inside-packages.ts knows ${known.version}.`);
    }
    note(licenceOf(folder, known), known?.source ? `${title} (source: ${known.source})` : title);
    for (const { name, text } of known?.parts ?? []) note(textOf(text), `${title}: ${name}`);
  }
  const parts = [...byLicence].map(([licence, names]) => `${names.sort().join('\n')}\n\n${licence}\n`).sort();
  return ['Tooltray contains the following software of others.\n', ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder: string, known: Inside | undefined): string {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
  if (known?.own !== undefined) return textOf(known.own);
  throw new Error(`${manifestOf(folder).name} carries no licence: its text belongs in scripts/notices/.`);
}

function textOf(name: string): string {
  return readFileSync(join(import.meta.dirname, 'texts', name), 'utf8').trim();
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
