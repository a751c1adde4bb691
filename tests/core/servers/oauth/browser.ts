/** The user's browser, as far as needed for a sign-in. */

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** Follows the sign-in page's redirect and returns the callback URL without opening it. */
export async function approve(authorizationUrl: string): Promise<URL> {
  const response = await fetch(authorizationUrl, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`No redirect: ${response.status} ${await response.text()}`);
  return new URL(location);
}

export async function visit(url: string | URL): Promise<Page> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Signs in like a user, and returns the last page. */
export async function goThrough(authorizationUrl: string): Promise<Page> {
  return visit(await approve(authorizationUrl));
}

/** Keeps cookies, and follows redirects and links. */
export class CookieBrowser {
  readonly #cookies = new Map<string, string>();

  /** The text of the last page. `POST`: used by a page's button without fields. */
  async open(address: string, method: 'GET' | 'POST' = 'GET'): Promise<string> {
    let url = new URL(address);
    for (let hops = 0; hops < 20; hops++) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, {
        method: hops === 0 ? method : 'GET',
        redirect: 'manual',
        headers: { cookie },
      });
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (value === '' || /expires=Thu, 01 Jan 1970/i.test(set)) this.#cookies.delete(name);
        else this.#cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) return response.text();
      url = new URL(location, url);
    }
    throw new Error('It is sent from page to page without an end.');
  }
}
