/** Names of tools as filters have them: whole, or with `*` for any characters; and which tools are switched off. */
import type { AppConfig } from './app-config.ts';

/** Whether one of these names, or patterns with `*` for any characters, is that of the tool. */
export function namesTool(names: readonly string[], tool: string): boolean {
  return names.some((name) => name === tool || (name.includes('*') && isLike(name.split('*'), tool)));
}

/** `parts`: what stands between the stars. Takes time in proportion to the text. */
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

// Whether a tool is there for client apps, as the user switched it.

/** `tool` by the server's own name. A server the config does not know has nothing switched off. */
export function isToolEnabled(config: Pick<AppConfig, 'servers'>, server: string, tool: string): boolean {
  const chosen = config.servers.find(({ name }) => name === server)?.toolSwitch;
  if (chosen === undefined) return true;
  return !namesTool(chosen.off, tool) && (chosen.only === undefined || namesTool(chosen.only, tool));
}
