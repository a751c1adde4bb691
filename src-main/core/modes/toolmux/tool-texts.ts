/** What lists say of a tool: its short text, its required parameters, and the hint made of both. */
import { isObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import { condenseDescription } from '../../condense/condense-description.ts';
import type { ModeView } from '../mode.ts';

export function fullText({ definition }: CatalogEntry): string {
  return typeof definition['description'] === 'string' ? definition['description'] : '';
}

/** The text that was written for the tool, else its own, condensed. A written text is cut only where `hard` says so. */
export function shortText(tool: CatalogEntry, { descriptions }: ModeView, max = 80, hard = false): string {
  const written = descriptions.find(tool.server, tool.name, tool.definition['description']);
  if (written !== undefined && (!hard || written.length <= max)) return written;
  return condenseDescription(written ?? fullText(tool), max);
}

export function parameterNames({ definition }: CatalogEntry): string[] {
  const { properties } = usableSchema(definition);
  return isObject(properties) ? Object.keys(properties) : [];
}

export function requiredNames({ definition }: CatalogEntry): string[] {
  const { required } = usableSchema(definition);
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Members of a hint's bracket, such as `Reverse a string; required: text`; empty when there is nothing to say. */
export function hintParts(tool: CatalogEntry, view: ModeView, max: number): { text: string; required: string } {
  const required = requiredNames(tool);
  return {
    text: max === 0 ? '' : shortText(tool, view, max, true),
    required: required.length === 0 ? '' : `required: ${required.join(', ')}`,
  };
}
