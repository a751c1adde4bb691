/** Whether an entry of a client app leads back to Tooltray: taken over or healed with, it would have us start ourselves. */
import type { JsonObject } from '../base/json.ts';

/** Started by the command, by Node.js with one of our files, or through an address of ours. */
export function isOwnEntry(entry: JsonObject): boolean {
  const { command, args, url } = entry;
  if (typeof url === 'string') return isOwnAddress(url);
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].map(String);
  if (!words.includes('stdio') && !words.some((word) => /[\\/]shim\.cjs$/.test(word))) return false;
  return words.some((word) => ownFile.test(word));
}

/** The command itself, a launcher of that name, the file it stands for, the package. */
const ownFile = /(?:^|[\\/])(?:tooltray(?:\.(?:exe|cmd|ps1|sh|AppImage))?|tooltray@[\w.-]+)$|[\\/](?:shim\.cjs|tooltray[\\/].*cli\.js|dist[\\/]cli\.js)$/i;

/** Our port is fixed unless the person changed it; the path tells us then. */
function isOwnAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, port, pathname } = new URL(url);
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return isHere && (/^\/mcp\/app\//.test(pathname) || (port === '8690' && /^\/mcp(\/|$)/.test(pathname)));
}
