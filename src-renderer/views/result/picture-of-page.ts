/** HTML that a server sent, as a picture: no script, no network, no way out of its frame. */

/** What may reach out, or on, before any policy is asked. */
const reaching =
  'script, link, meta, base, iframe, frame, frameset, object, embed, portal, template, noscript, applet, form';
/** Pictures that are in the text itself, and styles; nothing is fetched. */
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:";

/** To be shown by `<iframe sandbox="" srcdoc>`. */
export function pictureOfPage(html: string): string {
  // Nothing is loaded by a document that is shown nowhere.
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const element of page.querySelectorAll(reaching)) element.remove();
  for (const element of page.querySelectorAll('*')) {
    for (const { name } of [...element.attributes]) {
      if (/^on|^(?:href|xlink:href|action|formaction|ping|srcdoc|background|srcset)$/i.test(name))
        element.removeAttribute(name);
    }
  }
  const meta = page.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = policy;
  page.head.prepend(meta);
  return `<!doctype html>${page.documentElement.outerHTML}`;
}
