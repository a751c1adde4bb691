/** Suggests a name for a server from its launch configuration. */
import type { JsonObject } from '../../base/json.ts';

/** The host, or the package, image or script. */
export function suggestServerName(entry: JsonObject): string {
  const { url, command } = entry;
  if (typeof url === 'string' && URL.canParse(url))
    return new URL(url).hostname.replace(/^(mcp|api|www)\./, '').split('.')[0] || 'server';
  const args = (Array.isArray(entry['args']) ? (entry['args'] as unknown[]) : []).map(String);
  const words = args.filter((word, at) => !word.startsWith('-') && !followsFlag(args[at - 1]));
  const distinctive =
    words.find((word) => !/^(?:run|exec|dlx|tool|\/c|npx|bunx|uvx|node|python3?)$/.test(word)) ?? String(command);
  const parts = distinctive.replace(/@[\d.]+\S*$|:[\w.-]+$|@latest$/, '').split(/[\\/]/);
  const stem = (part: string): string => part.replace(/\.([cm]?[jt]s|py|exe|sh|jar|ya?ml)$/, '');
  // `weather/dist/index.js` becomes weather.
  const base = parts.map(stem).findLast((part) => !/^(index|main|dist|build|src|)$/.test(part)) ?? parts.at(-1);
  const plain = stem(base ?? '').replace(/^(mcp[-_])?server[-_]|([-_]mcp)?[-_]server$|^mcp[-_]|[-_]mcp$/g, '');
  return plain.trim() || 'server';
}

/** Flags of runners (docker, uv, npm …) whose value is not a name. */
function followsFlag(flag: string | undefined): boolean {
  return (
    flag !== undefined &&
    /^(-[evwpu]|--(env|env-file|volume|mount|name|network|directory|project|from|with|python))$/.test(flag)
  );
}
