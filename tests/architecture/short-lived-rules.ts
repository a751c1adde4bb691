/** What is made for each call is gone with it: nothing on a call's way is written so that V8 keeps it, and all that it holds, for long. */
import ts from 'typescript';
import { lineOf, parse, type Rule } from './source.ts';

/** Folders that every call goes through. Elsewhere such a function is made once for a line or a start. */
const onTheWay = /^src-main\/(?:core\/(?:activity|calls|catalog|modes|sessions|spills|trust|wire)|compat)\//;
const assigns: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
]);

/**
 * A function that is written where it is assigned to a property is taken for a method, and allocated among old objects at once: it and all that
 * its scope holds go with the next full collection only. Node does the same for a listener that is an object (`handleEvent`). A field
 * of a class, a constant or another function that makes it is as short, and young.
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
