/**
 * Frames in which the dashboard shows tool views: a Tooltray document that embeds the view's document. Each is
 * requested with a single-use ticket and carries the content security policy that the core built for the view; the
 * page cannot change it.
 */
import { randomBytes } from 'node:crypto';
import { frameSandbox, type ViewPolicy } from '../core/mcp-apps/view-policy.ts';

/** Path prefix of frame URLs. */
export const framePath = '/view/';

/** Lifetime of a ticket in ms, and maximum number of open tickets. */
const ticketTtlMs = 60_000;
const maxTickets = 50;

export interface FrameDocument {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class ViewFrames {
  readonly #open = new Map<string, { readonly policy: ViewPolicy; readonly until: number }>();

  /** URL of a frame with this policy. */
  open(policy: ViewPolicy, now = Date.now()): string {
    for (const [ticket, { until }] of this.#open) if (until < now) this.#open.delete(ticket);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= maxTickets && oldest !== undefined) this.#open.delete(oldest);
    const ticket = randomBytes(24).toString('base64url');
    this.#open.set(ticket, { policy, until: now + ticketTtlMs });
    return `${framePath}${ticket}`;
  }

  /** Returns the document at a URL, once; undefined if there is none, it expired, or it was already taken. */
  take(path: string, now = Date.now()): FrameDocument | undefined {
    const ticket = path.slice(framePath.length);
    const found = this.#open.get(ticket);
    this.#open.delete(ticket);
    if (found === undefined || found.until < now) return undefined;
    return { headers: { ...frameHeaders, ...found.policy.headers }, body: frameDocument(found.policy) };
  }
}

const frameHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

function frameDocument({ allow }: ViewPolicy): string {
  const frame = JSON.stringify({ sandbox: frameSandbox, allow });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Frame of a view</title>
<style>html,body,iframe{display:block;width:100%;height:100%;margin:0;border:0;background:transparent}body{overflow:hidden}</style></head>
<body><script>(${relay})(window.parent,${frame.replaceAll('<', '\\u003c')})</script></body></html>`;
}

/**
 * Runs in the frame: forwards messages between the page and the view, and sends only one of its own, that it is ready.
 */
const relay = `(page, { sandbox, allow }) => {
  if (page === window) return;
  const own = 'ui/notifications/sandbox-';
  const view = document.createElement('iframe');
  view.setAttribute('sandbox', sandbox);
  if (allow !== '') view.setAttribute('allow', allow);
  view.title = 'View';
  addEventListener('message', ({ source, data }) => {
    if (typeof data !== 'object' || data === null) return;
    const isOwn = String(data.method).startsWith(own);
    if (source === page && data.method === own + 'resource-ready') {
      if (view.isConnected) return;
      view.srcdoc = data.params.html;
      document.body.append(view);
    } else if (source === page && !isOwn) view.contentWindow?.postMessage(data, '*');
    else if (source !== null && source === view.contentWindow && !isOwn) page.postMessage(data, '*');
  });
  page.postMessage({ jsonrpc: '2.0', method: own + 'proxy-ready', params: {} }, '*');
}`;
