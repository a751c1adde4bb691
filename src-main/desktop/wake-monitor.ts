/**
 * Detects when the computer woke up or changed its network: failed connections may work now and need not wait for
 * their retry.
 */
import { networkInterfaces } from 'node:os';

interface WakeDeps {
  /** Electron's powerMonitor. */
  readonly monitor: { on(event: 'resume', listener: () => void): unknown };
  readonly onWake: () => void;
  readonly addresses?: () => string;
}

const pollIntervalMs = 10_000;
/** Time until the network is available after waking up. */
const networkSettleMs = 3_000;

/** Returns a function that stops it. */
export function watchWakeAndNetwork({ monitor, onWake, addresses = ownAddresses }: WakeDeps): () => void {
  let last = addresses();
  const timers = new Set<NodeJS.Timeout>();
  const look = setInterval(() => {
    const now = addresses();
    // Losing the network fixes nothing.
    if (now !== last && now !== '') onWake();
    last = now;
  }, pollIntervalMs).unref();
  monitor.on('resume', () => timers.add(setTimeout(onWake, networkSettleMs).unref()));
  return () => {
    clearInterval(look);
    for (const timer of timers) clearTimeout(timer);
  };
}

/** Addresses of all external networks, as one string. */
function ownAddresses(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)
    .sort()
    .join(' ');
}
