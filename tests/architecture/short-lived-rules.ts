/** Objects created per call are collected with it: no code in the path of calls makes V8 keep them for long. */
import ts from 'typescript';
import { lineOf, parse, type Rule } from './source.ts';

/** Folders in the path of every call. Elsewhere such a function is created once per connection or start. */
const onTheWay = /^src-main\/(?:core\/(?:activity|calls|catalog|modes|sessions|spills|trust|wire)|compat)\//;
const assigns: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
]);

/**
 * V8 treats a function expression assigned to a property as a method and allocates it in the old space immediately: it
 * and everything in its scope are collected only by the next full collection. Node.js does the same for a listener
 * object (`handleEvent`). A class field, a constant, or a factory function is as short, and allocated in the young
 * space.
 */
export const leavesNothingOld: Rule = (source) => {
  if (!onTheWay.test(source.path)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isAssignedFunction(node)) found.push(`${source.path}:${lineOf(node)} writes a function where it assigns it`);
    if (ts.isMethodDeclaration(node) && node.name.getText() === 'handleEvent')
      found.push(`${source.path}:${lineOf(node)} makes a listener of an object`);
    ts.forEachChild(node, visit);
  };
  visit(parse(source));
  return found;
};

function isAssignedFunction(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node) || !assigns.has(node.operatorToken.kind)) return false;
  const isProperty = ts.isPropertyAccessExpression(node.left) || ts.isElementAccessExpression(node.left);
  return isProperty && (ts.isArrowFunction(node.right) || ts.isFunctionExpression(node.right));
}
