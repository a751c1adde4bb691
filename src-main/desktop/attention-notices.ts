/** Turns what waits for a person into notifications, while they are not looking at the dashboard. */
import type { AttentionItem } from '../rpc/contract.ts';
import { AttentionNews } from './attention-news.ts';

export interface AttentionNoticesDeps {
  readonly items: () => readonly AttentionItem[];
  /** The person wants notifications and does not see the dashboard. */
  readonly mayTell: () => boolean;
  readonly tell: (item: AttentionItem) => void;
}

const lookEveryMs = 5_000;

/** Returns how to stop. */
export function watchAttention({ items, mayTell, tell }: AttentionNoticesDeps): () => void {
  const news = new AttentionNews();
  // By the clock, not by changes: what is new has to stand for a while first.
  const timer = setInterval(() => {
    const fresh = news.next(items(), Date.now());
    if (mayTell()) for (const item of fresh) tell(item);
  }, lookEveryMs).unref();
  return () => clearInterval(timer);
}
