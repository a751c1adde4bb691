/**
 * The frame between the app's page and a view, as required for apps in a browser: its origin differs from the page's,
 * and is that of the view's frame. It forwards messages in both directions. Source: SEP-1865 (MCP Apps), sandbox
 * proxy.
 */
const own = 'ui/notifications/sandbox-';
const inner = document.createElement('iframe');
inner.sandbox.add('allow-scripts', 'allow-same-origin', 'allow-forms');
document.body.append(inner);

interface Message {
  readonly method?: string;
  readonly params?: { readonly html?: string };
}

addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
  if (source === inner.contentWindow) return parent.postMessage(data, '*');
  if (source !== parent) return;
  if (data.method === `${own}resource-ready`) inner.srcdoc = data.params?.html ?? '';
  else inner.contentWindow?.postMessage(data, '*');
});

parent.postMessage({ jsonrpc: '2.0', method: `${own}proxy-ready`, params: {} }, '*');

export {};
