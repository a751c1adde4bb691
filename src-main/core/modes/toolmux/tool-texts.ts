/** What lists say of a tool: its short text, its required parameters, and the hint made of both. */
import { isObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import { condenseLine } from '../../condense/condense-description.ts';
import { parametersText } from '../../condense/signature.ts';
import type { ModeView } from '../mode.ts';

export function fullText({ definition }: CatalogEntry): string {
  return typeof definition['description'] === 'string' ? definition['description'] : '';
}

/** The text that was written for the tool, else its own, condensed. A written text is cut only where `hard` says so. */
export function shortText(tool: CatalogEntry, { descriptions }: ModeView, max = 80, hard = false): string {
  const written = descriptions.find(tool.server, tool.name, tool.definition['description']);
  if (written !== undefined && (!hard || written.length <= max)) return written;
  return condenseLine(written ?? fullText(tool), max);
}

export function parameterNames({ definition }: CatalogEntry): string[] {
  const { properties } = usableSchema(definition);
  return isObject(properties) ? Object.keys(properties) : [];
}

export function requiredNames({ definition }: CatalogEntry): string[] {
  const { required } = usableSchema(definition);
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/**
 * What can be said of a tool after its name, the best first and nothing last: what it is there for and what a call needs, as
 * ToolMux writes it, `(Reverse a string; required: text) [upper?: boolean]`; then shorter, then without types.
 */
export function explanations(tool: CatalogEntry, view: ModeView): readonly string[] {
  const schema = usableSchema(tool.definition);
  const typed = parametersText(schema, (_, required) => required);
  const optional = parametersText(schema, (_, required) => !required);
  const named = requiredNames(tool).join(', ');
  const needs = [...new Set(isObject(schema['properties']) ? [typed, named] : [named])].filter(
    (one) => one.length <= longestNeeds || one === named,
  );
  const texts = [...new Set(textLengths.map((length) => shortText(tool, view, length, true)))];
  const [most = '', ...fewer] = texts.flatMap((text) => needs.map((need) => bracket(text, need)));
  const all = optional === '' ? [most] : [`${most} [${optional}]`.trimStart(), most];
  const last = [...texts.slice(-1), ''].map((text) => bracket(text, ''));
  return [...all, ...fewer, ...last];
}

/** Lengths of a tool's text, from the one ToolMux has. */
const textLengths = [60, 45, 32, 22];
const longestNeeds = 160;

function bracket(text: string, needs: string): string {
  const inside = [text, needs === '' ? '' : `required: ${needs}`].filter((part) => part !== '').join('; ');
  return inside === '' ? '' : `(${inside})`;
}
