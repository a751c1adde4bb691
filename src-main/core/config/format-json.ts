/** Writes a value the way a person would lay it out: short lists on one line, everything else one thing per line. */

export interface Layout {
  /** The indentation of the line the value starts on. */
  readonly indent: string;
  readonly unit: string;
  readonly eol: string;
  /** Everything on one line. */
  readonly inline: boolean;
}

const longestList = 100;

/** JSON text; keys whose value is undefined are left out. */
export function formatJson(value: unknown, layout: Layout): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const inner = { ...layout, indent: layout.indent + layout.unit };
  const parts = isList
    ? value.map((item) => formatJson(item, inner))
    : Object.entries(value).flatMap(([key, item]) =>
        item === undefined ? [] : [`${JSON.stringify(key)}: ${formatJson(item, inner)}`],
      );
  if (parts.length === 0) return open + close;
  const line = parts.join(', ');
  if (layout.inline) return isList ? `[${line}]` : `{ ${line} }`;
  if (isList && line.length <= longestList && value.every((item) => typeof item !== 'object')) return `[${line}]`;
  return `${open}${layout.eol}${inner.indent}${parts.join(`,${layout.eol}${inner.indent}`)}${layout.eol}${layout.indent}${close}`;
}
