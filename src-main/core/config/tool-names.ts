/** Tool names in filters: exact, or with `*` as wildcard; and which tools are disabled. */
import type { AppConfig } from './app-config.ts';

/** Whether one of these names, or patterns with `*`, matches the tool. */
export function namesTool(names: readonly string[], tool: string): boolean {
  return names.some((name) => name === tool || (name.includes('*') && isLike(name.split('*'), tool)));
}

/** `parts`: the texts between the stars. Takes linear time. */
function isLike([first = '', ...rest]: readonly string[], text: string): boolean {
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

// Whether the user has enabled a tool.

/** `tool`: the server's own name. Tools of an unknown server are enabled. */
export function isToolEnabled(config: Pick<AppConfig, 'servers'>, server: string, tool: string): boolean {
  const chosen = config.servers.find(({ name }) => name === server)?.toolSwitch;
  if (chosen === undefined) return true;
  return !namesTool(chosen.off, tool) && (chosen.only === undefined || namesTool(chosen.only, tool));
}
