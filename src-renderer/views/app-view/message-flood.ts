/** Detects a view that sends more messages than the page can process. */

/** Messages per second; a view that updates with every frame sends sixty. */
const maxMessages = 300;
const secondMs = 1000;

/**
 * Counts messages from a frame and its descendants, whatever their recipient. `onFlood` is called once, with the limit
 * per second. Returns a function that stops it.
 */
export function watchFlood(frame: Window, onFlood: (most: number) => void): () => void {
  let began = 0;
  let received = 0;
  const listen = ({ source }: MessageEvent): void => {
    if (source !== frame && !isWithin(source, frame)) return;
    const now = performance.now();
    if (now - began > secondMs) [began, received] = [now, 0];
    if (++received <= maxMessages) return;
    stop();
    onFlood(maxMessages);
  };
  const stop = (): void => removeEventListener('message', listen);
  addEventListener('message', listen);
  return stop;
}

/** A frame's parent is accessible across origins. A removed frame has none. */
function isWithin(source: MessageEventSource | null, frame: Window): boolean {
  let window = source !== null && 'parent' in source ? source : null;
  for (let depth = 0; window !== null && depth < 10; depth++) {
    const { parent }: { parent: MessageEventSource | null } = window;
    if (parent === frame) return true;
    if (parent === window) return false;
    window = parent !== null && 'parent' in parent ? parent : null;
  }
  return false;
}
