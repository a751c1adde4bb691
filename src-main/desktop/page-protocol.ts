/** `app://tooltray/`: the dashboard's files and kept answers, with the headers that a browser gets too. Nothing remote is ever loaded. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { protocol } from 'electron';
import { pageFile, pageHeaders } from '../rpc/dashboard-door.ts';
import { dashboardOrigin } from './dashboard-places.ts';

type SpillFile = (id: string) => { readonly file: string; readonly mimeType: string };

const spillPath = '/rpc/spill/';

/** Has to be called before Electron is ready. */
export function registerPageProtocol(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges }]);
}

/** `spillFile` throws where there is none. */
export function servePages(root: string, spillFile: SpillFile): void {
  protocol.handle('app', async ({ url, method }) => {
    const { pathname } = new URL(url);
    if (method !== 'GET' || !url.startsWith(dashboardOrigin)) return nothing();
    if (pathname.startsWith(spillPath)) return spillResponse(pathname.slice(spillPath.length), spillFile);
    const found = await pageFile(root, pathname);
    if (found === undefined) return nothing();
    return new Response(new Uint8Array(found.body), { headers: { ...pageHeaders, 'content-type': found.type } });
  });
}

function spillResponse(id: string, spillFile: SpillFile): Response {
  try {
    const { file, mimeType } = spillFile(decodeURIComponent(id));
    // As what it is, but never as a page of ours.
    const type = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.+-]+)$/.test(mimeType)
      ? mimeType
      : 'application/octet-stream';
    const headers = { ...pageHeaders, 'content-type': type, 'content-disposition': 'attachment' };
    return new Response(Readable.toWeb(createReadStream(file)) as ReadableStream, { headers });
  } catch {
    return nothing();
  }
}

function nothing(): Response {
  return new Response('There is nothing here.', { status: 404, headers: pageHeaders });
}
