/** Links that make an app ask its person to add us: instead of a change of its file. */
import type { KnownApp } from './known-app.ts';
import { entryFor } from './install-entry.ts';
import { type AppEntry, entryName, isHttp, type Launch } from './launch.ts';

type MakeLink = (app: KnownApp, launch: Launch) => string | undefined;

const makers: Readonly<Record<string, MakeLink>> = {
  cursor: (app, launch) =>
    `cursor://anysphere.cursor-deeplink/mcp/install?name=${entryName}&config=${inBase64(entryFor(app, launch))}`,
  vscode: (app, launch) => `vscode:mcp/install?${inJson({ name: entryName, ...entryFor(app, launch) })}`,
  'vscode-insiders': (app, launch) =>
    `vscode-insiders:mcp/install?${inJson({ name: entryName, ...entryFor(app, launch) })}`,
  'lm-studio': (app, launch) => `lmstudio://add_mcp?name=${entryName}&config=${inBase64(entryFor(app, launch))}`,
  kiro: (app, launch) => `https://kiro.dev/launch/mcp/add?name=${entryName}&config=${inJson(entryFor(app, launch))}`,
  // Its links start a few well-known launchers only, so ours is by address; and they carry no headers.
  goose: (_, launch) =>
    isHttp(launch) && launch.headers === undefined
      ? `goose://extension?type=streamable_http&url=${encodeURIComponent(launch.url)}&id=${entryName}&name=Tooltray&description=${encodeURIComponent('All MCP servers of this machine')}`
      : undefined,
};

/** Undefined: the app has no such links, or none for this launch. */
export function installLink(app: KnownApp, launch: Launch): string | undefined {
  return Object.hasOwn(makers, app.id) ? makers[app.id]?.(app, launch) : undefined;
}

function inJson(entry: AppEntry): string {
  return encodeURIComponent(JSON.stringify(entry));
}

/** `+`, `/` and `=` would mean something else in an address. */
function inBase64(entry: AppEntry): string {
  return encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString('base64'));
}
