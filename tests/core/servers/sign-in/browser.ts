/** The person's browser, as far as a sign-in needs one. */

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** Follows the sign-in page's redirect to the address that leads back to us, without going there. */
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

/** Signs in as a person does, and answers the last page. */
export async function goThrough(authorizationUrl: string): Promise<Page> {
  return visit(await approve(authorizationUrl));
}
