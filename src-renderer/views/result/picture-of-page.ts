/** Renders a server's HTML statically: without scripts, network access, or navigation. */

/** Elements that could access the network or navigate before a policy applies. */
const reaching =
  'script, link, meta, base, iframe, frame, frameset, object, embed, portal, template, noscript, applet, form';
/** Inline images and styles only; nothing is fetched. */
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:";

/** For `<iframe sandbox="" srcdoc>`. */
export function pictureOfPage(html: string): string {
  // A document that is not displayed loads nothing.
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
