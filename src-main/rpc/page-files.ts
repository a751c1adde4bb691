/** The dashboard's built files, as a browser or Electron's own protocol is given them. */
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** What every answer to a page carries: nothing from elsewhere is loaded, run, framed or told where we are. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; object-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The file at a path of the page; undefined where there is none, or none that a page has. */
export async function pageFile(root: string, pathname: string): Promise<PageFile | undefined> {
  const file = join(root, normalize(pathname === '/' ? '/index.html' : pathname));
  const type = types[extname(file)];
  if (type === undefined || pathname.includes('\0') || !file.startsWith(root + sep)) return undefined;
  try {
    return { type, body: await readFile(file) };
  } catch {
    return undefined;
  }
}
