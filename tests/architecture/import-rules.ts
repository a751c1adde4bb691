/**
 * Import order: layers of folders, no Electron in the core, type-only imports in the renderer, a shim without
 * dependencies.
 */
import ts from 'typescript';
import { importsOf, lineOf, parse, type Rule, type Source } from './source.ts';

/** From low to high; a folder imports only from itself and lower ones. */
export const layers = [
  'base',
  'health',
  'wire',
  'config',
  'security',
  'secrets',
  'trust',
  'search',
  'condense',
  'spills',
  'activity',
  'code-runner',
  'client-apps',
  'servers',
  'mcp-apps',
  'catalog',
  'admin',
  'registry',
  'paste-import',
  'calls',
  'modes',
  'choose-mode',
  'profiles',
  'sessions',
  'aggregator',
  'rpc',
  'compat',
  'host',
  'team',
  'desktop',
  'entries',
] as const;

const contract = 'src-main/rpc/contract.ts';

/** The layer of a file of src-main; undefined for a folder outside the order. */
export function layerOf(path: string): (typeof layers)[number] | undefined {
  const [, place, folder] = path.split('/');
  // Sessions are created with it.
  if (path === 'src-main/core/choose-mode.ts') return 'choose-mode';
  // The composition root and its parts.
  if (place === 'core' && path.split('/').length === 3) return 'aggregator';
  // Entry points and the folders that contain their parts.
  if (path.split('/').length === 2 || place === 'cli' || place === 'shim' || place === 'client') return 'entries';
  return layers.find((layer) => layer === (place === 'core' ? folder : place));
}

export const importsGoDown: Rule = (source) => {
  if (!source.path.startsWith('src-main/')) return [];
  const own = layerOf(source.path);
  if (own === undefined) return [`${source.path}:1 lies in a folder that has no place in the order`];
  return importsOf(source).flatMap(({ file, line }) => {
    if (file === undefined || file === 'package.json') return [];
    const other = file.startsWith('src-main/') ? layerOf(file) : undefined;
    if (other !== undefined && layers.indexOf(other) <= layers.indexOf(own)) return [];
    return [`${source.path}:${line} ${own} must not import ${file}`];
  });
};

/**
 * The modes of other systems are registered in one file; only what our client library needs to know about results is
 * imported elsewhere.
 */
export const compatBehindItsRegistry: Rule = (source) =>
  importsOf(source)
    .filter(({ file }) => source.path.startsWith('src-main/') && file?.startsWith('src-main/compat/') === true)
    .filter(() => !source.path.startsWith('src-main/compat/'))
    .filter(({ file }) => file !== 'src-main/compat/all-modes.ts' && file !== 'src-main/compat/magg/proxy-meta.ts')
    .map(({ line, file }) => `${source.path}:${line} must not import ${file}; src-main/compat/all-modes.ts has it`);

const editionFiles = new Set(['src-main/core/edition.ts', 'src-main/rpc/edition.ts', contract]);

/**
 * Exports of core and rpc for the team edition are in two files, so that the rest can change without reading `team`.
 */
export const teamUsesTheEdition: Rule = (source) =>
  importsOf(source)
    .filter(({ file }) => source.path.startsWith('src-main/team/') && /^src-main\/(core|rpc)\//.test(file ?? ''))
    .filter(({ file = '' }) => !file.startsWith('src-main/core/base/') && !editionFiles.has(file))
    .map(({ line, file }) => `${source.path}:${line} must not import ${file}; an edition.ts exports it`);

const electronFree = /^src-main\/(core|cli|shim)[/.]/;

export const coreKnowsNoElectron: Rule = (source) =>
  importsOf(source)
    .filter(({ specifier }) => electronFree.test(source.path) && /^electron($|[-/])/.test(specifier))
    .map(({ line, specifier }) => `${source.path}:${line} must not import ${specifier}`);

export const rendererSeesOnlyTheContract: Rule = (source) =>
  importsOf(source)
    .filter(() => source.path.startsWith('src-renderer/'))
    .filter(({ file, specifier, typeOnly }) => {
      if (file?.startsWith('src-main/')) return file !== contract || !typeOnly;
      return specifier.startsWith('node:') || specifier.startsWith('electron');
    })
    .map(
      ({ line, specifier }) => `${source.path}:${line} must not import ${specifier} (only types, only of the contract)`,
    );

export const contractIsTypesOnly: Rule = (source) => {
  if (source.path !== contract) return [];
  return parse(source)
    .statements.filter((node) => !isTypeOnly(node))
    .map((node) => `${source.path}:${lineOf(node)} is not a type`);
};

export function isTypeOnly(node: ts.Statement): boolean {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  return ts.isImportDeclaration(node) && node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

/** The shim starts as fast as an empty script: it imports only built-in modules, directly and transitively. */
export function shimLoadsBuiltInsOnly(sources: readonly Source[], entry = 'src-main/shim.ts'): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const waiting = byPath.has(entry) ? [entry] : [];
  const seen = new Set(waiting);
  const broken: string[] = [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = byPath.get(path);
    for (const { specifier, file, typeOnly, dynamic, line } of source ? importsOf(source) : []) {
      if (typeOnly || dynamic || specifier.startsWith('node:')) continue;
      if (file === undefined || !byPath.has(file)) broken.push(`${path}:${line} must not import ${specifier}`);
      else if (!seen.has(file)) waiting.push(file);
      if (file !== undefined) seen.add(file);
    }
  }
  return broken;
}
