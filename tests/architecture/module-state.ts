/** Modules have no mutable state and no side effects at import: every object has an owner that creates it. */
import ts from 'typescript';
import { lineOf, parse, type Rule } from './source.ts';

/** Entry points run when loaded; a worker is the entry point of its thread, the Python process of its process. */
const isEntry = /^src-main\/[^/]+\.ts$|-worker\.ts$|\/(?:python|keychain)-process\.ts$|^src-renderer\/main\.ts$/;

/** Classes with immutable instances, or without relevant state. */
const constantClasses: ReadonlySet<string> = new Set(['RegExp', 'TextEncoder', 'URL', 'Error', 'AppError']);

export const noStateAtImport: Rule = (source) => {
  if (isEntry.test(source.path) || source.path.endsWith('.svelte') || source.path.endsWith('.d.ts')) return [];
  return parse(source).statements.flatMap((statement) =>
    faultsOf(statement).map(([node, what]) => `${source.path}:${lineOf(node)} ${what}`),
  );
};

type Fault = readonly [node: ts.Node, what: string];

function faultsOf(statement: ts.Statement): Fault[] {
  if (ts.isVariableStatement(statement)) return variableFaults(statement);
  if (ts.isClassDeclaration(statement))
    return statement.members.filter(isMutableStatic).map((node) => [node, 'a static field that changes']);
  const declares =
    ts.isImportDeclaration(statement) ||
    ts.isExportDeclaration(statement) ||
    ts.isExportAssignment(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isModuleDeclaration(statement);
  return declares ? [] : [[statement, 'runs when the module is imported']];
}

function variableFaults(statement: ts.VariableStatement): Fault[] {
  const { declarations, flags } = statement.declarationList;
  if ((flags & ts.NodeFlags.Const) === 0) {
    return [[statement, 'a variable at the top level; use a const, or give it an owner']];
  }
  const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
  return declarations
    .filter(({ initializer, type }) => initializer && !isReadonlyType(type) && isMutable(initializer))
    .filter((declaration) => isExported || !isTable(declaration))
    .map((node) => [node, 'can change; give it an owner, or a Readonly type if it never does']);
}

/** A set or map that is filled when it is created and never changed in this file. */
function isTable({ name, initializer }: ts.VariableDeclaration): boolean {
  if (!initializer || !ts.isNewExpression(initializer) || (initializer.arguments ?? []).length === 0) return false;
  if (!['Set', 'Map'].includes(initializer.expression.getText())) return false;
  const change = new RegExp(String.raw`\b${name.getText()}\s*\.\s*(add|set|delete|clear)\b`);
  return !change.test(name.getSourceFile().text);
}

function isMutableStatic(member: ts.ClassElement): boolean {
  if (!ts.isPropertyDeclaration(member)) return false;
  const keywords = new Set(member.modifiers?.map(({ kind }) => kind));
  if (!keywords.has(ts.SyntaxKind.StaticKeyword)) return false;
  if (!keywords.has(ts.SyntaxKind.ReadonlyKeyword)) return true;
  return member.initializer !== undefined && !isReadonlyType(member.type) && isMutable(member.initializer);
}

/** `ReadonlyMap<…>`, `Readonly<Record<…>>`, `readonly string[]`. */
function isReadonlyType(type: ts.TypeNode | undefined): boolean {
  return type !== undefined && /^readonly/i.test(type.getText());
}

/** An object that is not known to be immutable, or an empty collection, which can only be meant to be filled. */
function isMutable(value: ts.Expression): boolean {
  if (ts.isNewExpression(value)) {
    const name = value.expression.getText();
    return !constantClasses.has(name) && !name.startsWith('Intl.');
  }
  if (ts.isArrayLiteralExpression(value)) return value.elements.length === 0;
  return ts.isObjectLiteralExpression(value) && value.properties.length === 0;
}
