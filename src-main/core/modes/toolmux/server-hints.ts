/**
 * What gateway mode says of each server: its tools, each with as much as there is room for. Two limits hold: what the whole
 * list may cost, which is what the mode is for, and 2 048 characters for one tool, where Claude Code cuts.
 */
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ModeView } from '../mode.ts';
import { hintParts } from './tool-texts.ts';
import { toolsByServer } from './tools-by-server.ts';

const maxLength = 2048;
/** The list may cost 25 tokens per server and 24 per tool; the frame of a server's tool takes 40. */
const tokensPerTool = 24;
const frameExcess = 15;
/** Of hints, which are words and names; measured, and on the careful side. */
const charactersPerToken = 3.2;
/** Lengths of a tool's text, from the one ToolMux has down to none; then the names alone. */
const textLengths = [60, 45, 32, 22, 0] as const;
const namesOnly = textLengths.length;

/** By server; a server without tools has no entry. */
export function serverHints(view: ModeView): ReadonlyMap<string, string> {
  const groups = [...toolsByServer(view.catalog)];
  const room = charactersPerToken * (tokensPerTool * view.catalog.tools.length - frameExcess * groups.length);
  let hints = groups.map(([server, tools]) => [server, hintWithin(tools, view, 0)] as const);
  for (let level = 1; level <= namesOnly && lengthOf(hints) > room; level++) {
    hints = groups.map(([server, tools]) => [server, hintWithin(tools, view, level)] as const);
  }
  return new Map(hints);
}

/** The fullest hint, from `level` on, that a single tool may have. */
function hintWithin(tools: readonly CatalogEntry[], view: ModeView, level: number): string {
  const hint = `Tools: ${tools.map((tool) => hintOf(tool, view, level)).join(', ')}`;
  if (hint.length <= maxLength) return hint;
  return level < namesOnly ? hintWithin(tools, view, level + 1) : cutNames(tools);
}

function hintOf(tool: CatalogEntry, view: ModeView, level: number): string {
  const length = textLengths[level];
  if (length === undefined) return tool.name;
  const { text, required } = hintParts(tool, view, length);
  const inside = [text, required].filter((part) => part !== '').join('; ');
  return inside === '' ? tool.name : `${tool.name} (${inside})`;
}

/** As many names as fit, and how to see the others. */
function cutNames(tools: readonly CatalogEntry[]): string {
  const rest = (shown: number): string =>
    shown === 0
      ? `${tools.length} in all: call without "tool" to see them`
      : `, and ${tools.length - shown} more: call without "tool" to see all`;
  let text = 'Tools: ';
  let shown = 0;
  for (const { name } of tools) {
    const next = `${text}${shown === 0 ? '' : ', '}${name}`;
    if (next.length + rest(1).length > maxLength) break;
    text = next;
    shown++;
  }
  return text + rest(shown);
}

function lengthOf(hints: readonly (readonly [string, string])[]): number {
  return hints.reduce((sum, [, hint]) => sum + hint.length, 0);
}
