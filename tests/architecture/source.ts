/** The source files as the rules see them: path, text, and imports. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

export interface Source {
  /** Relative to the project root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** As written, such as `node:fs`. */
  readonly specifier: string;
  /** Path of the imported file, if it is in this project. */
  readonly file: string | undefined;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
  readonly line: number;
}

/** A rule returns every violation, as `path:line problem`. */
export type Rule = (source: Source) => string[];

/** Every source file of the app. */
export function readSources(root: string): Source[] {
  return globSync('{src-main,src-renderer}/**/*.{ts,svelte}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Each file is checked by a dozen rules. */
const parsed = new WeakMap<Source, ts.SourceFile>();
const imports = new WeakMap<Source, Import[]>();

/** Parses a script; for a Svelte file, its `<script>` blocks at the same lines. */
export function parse(source: Source): ts.SourceFile {
  const known = parsed.get(source) ?? read(source);
  parsed.set(source, known);
  return known;
}

function read(source: Source): ts.SourceFile {
  const code = source.path.endsWith('.svelte') ? scriptsOf(source.text) : source.text;
  return ts.createSourceFile(source.path, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
}

export function lineOf(node: ts.Node): number {
  const file = node.getSourceFile();
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

export function importsOf(source: Source): Import[] {
  const known = imports.get(source) ?? findImports(source);
  imports.set(source, known);
  return known;
}

function findImports(source: Source): Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const reference = referenceIn(node);
    if (reference !== undefined) {
      const { specifier } = reference;
      const file = specifier.startsWith('.') ? posix.join(posix.dirname(source.path), specifier) : undefined;
      found.push({ ...reference, file, line: lineOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(source));
  return found;
}

function referenceIn(node: ts.Node): Pick<Import, 'specifier' | 'typeOnly' | 'dynamic'> | undefined {
  if (ts.isImportDeclaration(node)) return named(node.moduleSpecifier, isTypeImport(node.importClause), false);
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly, false);
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? named(node.argument.literal, true, false) : undefined;
  }
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? named(node.arguments[0], false, true) : undefined;
}

function named(literal: ts.Node | undefined, typeOnly: boolean, dynamic: boolean): ReturnType<typeof referenceIn> {
  return literal && ts.isStringLiteralLike(literal) ? { specifier: literal.text, typeOnly, dynamic } : undefined;
}

/** `import { type A }` is not one: with verbatimModuleSyntax the module is still loaded. */
function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  return clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

function scriptsOf(markup: string): string {
  let code = '';
  let end = 0;
  for (const match of markup.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)) {
    const start = match.index + match[0].indexOf('>') + 1;
    code += markup.slice(end, start).replaceAll(/[^\n]/g, ' ') + match[1];
    end = start + (match[1] ?? '').length;
  }
  return code;
}
