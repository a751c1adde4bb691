/**
 * `app://tooltray/`: serves the dashboard's files, spilled results, and view frames with the same headers as over
 * HTTP.
 * Nothing remote is loaded.
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { protocol } from 'electron';
import { pageFile, pageHeaders } from '../rpc/dashboard-routes.ts';
import { type FrameDocument, framePath } from '../rpc/view-frames.ts';
import { dashboardOrigin } from './deep-links.ts';

interface PageSources {
  /** Rejects if it does not exist. */
  spillFile(id: string): Promise<{ readonly file: string; readonly mimeType: string }>;
  viewFrame(path: string): FrameDocument | undefined;
}

const spillPath = '/rpc/spill/';

/** Must be called before Electron is ready. */
export function registerPageProtocol(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges }]);
}

export function servePages(root: string, sources: PageSources): void {
  protocol.handle('app', async ({ url, method }) => {
    const { pathname } = new URL(url);
    if (method !== 'GET' || !url.startsWith(dashboardOrigin)) return nothing();
    if (pathname.startsWith(spillPath)) return spillResponse(pathname.slice(spillPath.length), sources);
    if (pathname.startsWith(framePath)) return frameResponse(sources.viewFrame(pathname));
    const found = await pageFile(root, pathname);
    if (found === undefined) return nothing();
    return new Response(new Uint8Array(found.body), { headers: { ...pageHeaders, 'content-type': found.type } });
  });
}

async function spillResponse(id: string, sources: PageSources): Promise<Response> {
  try {
    const { file, mimeType } = await sources.spillFile(decodeURIComponent(id));
    // Images and audio keep their type; nothing is served as an HTML page of Tooltray.
    const type = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.+-]+)$/.test(mimeType)
      ? mimeType
      : 'application/octet-stream';
    const headers = { ...pageHeaders, 'content-type': type, 'content-disposition': 'attachment' };
    return new Response(Readable.toWeb(createReadStream(file)) as ReadableStream, { headers });
  } catch {
    return nothing();
  }
}

function frameResponse(found: FrameDocument | undefined): Response {
  return found === undefined ? nothing() : new Response(found.body, { headers: found.headers });
}

function nothing(): Response {
  return new Response('Not found.', { status: 404, headers: pageHeaders });
}
