/**
 * The frame between the app's page and an interface, as the extension wants it of apps in a browser: of another origin than the page,
 * and the one that the interface's own frame is of. It passes on what either says. Source: SEP-1865 (MCP Apps), sandbox proxy.
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
