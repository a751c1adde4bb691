/** The page that a browser shows after a sign-in: no script, no external content, the dashboard's colors. */
import { hash } from 'node:crypto';

/** The part of the dashboard's theme for a short page. */
const style = `
:root { color-scheme: light dark; accent-color: light-dark(#0b6b74, #5cc4cc) }
body { max-width: 34rem; margin: 0 auto; padding: 12vh 1.5rem 3rem; background: light-dark(#f7f7f5, #15171b);
  color: light-dark(#1b1e23, #eceae6); font: 1rem / 1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { margin: 0 0 1rem; font-size: 1.375rem; font-weight: 600; line-height: 1.3 }
p { margin: 0 0 1.25rem }
a { color: light-dark(#0b6b74, #5cc4cc) }
button { padding: 0.5rem 1rem; border: 0; border-radius: 7px; background: light-dark(#0b6b74, #5cc4cc);
  color: light-dark(#fff, #0c2325); font: inherit; font-weight: 500; text-align: start }
:focus-visible { outline: 2px solid light-dark(#0b6b74, #5cc4cc); outline-offset: 2px }
`;

/** Headers of every response to the user's browser during a sign-in. */
export const callbackPageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
} as const;

/** `body` is HTML. */
export function renderCallbackPage(title: string, body: string): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body><h1>${escapeHtml(title)}</h1>`,
    `${body}</body></html>\n`,
  ].join('\n');
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
