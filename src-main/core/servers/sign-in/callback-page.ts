/** The plain page a browser shows when the sign-in comes back to us: no script, no link, every text escaped. */

export function callbackPage(title: string, text: string): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)}</title></head><body><h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(text)}</p></body></html>\n`,
  ].join('\n');
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
