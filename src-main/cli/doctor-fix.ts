/** What `doctor --fix` does: servers that do not start are mended from launches found elsewhere, each after a yes. */
import type { RpcMethods } from '../rpc/contract.ts';
import { confirm } from './confirm.ts';
import { withCore } from './core-access.ts';
import { oneLine } from './plain-text.ts';
import { printProgress } from './print.ts';
import { settledState } from './settled-state.ts';

export type Fix = RpcMethods['heal']['output'];

/** `yes`: nobody is asked. Without a terminal and without it nothing of another app is tried. */
export async function fixServers(config: string | undefined, yes: boolean | undefined): Promise<Fix[]> {
  return withCore(config, async (core) => {
    printProgress('Looking for launches that work …');
    await settledState(core);
    const fixes: Fix[] = [];
    const refused = new Set<string>();
    for (;;) {
      const { offers } = await core.ask('healOffers', {});
      const offer = offers.find(({ server, source }) => !refused.has(`${server}\n${source}`));
      if (offer === undefined) return fixes;
      refused.add(`${offer.server}\n${offer.source}`);
      const answer = await confirm(`${oneLine(offer.sentence)} Use it?`, yes);
      if (answer === true) fixes.push(await core.ask('heal', { server: offer.server }));
      else fixes.push({ server: offer.server, healed: false, sentence: notAgreed(offer.sentence, answer) });
    }
  });
}

function notAgreed(sentence: string, answer: boolean | undefined): string {
  return answer === undefined ? `${sentence} Add --yes to use it.` : `${sentence} Left as it is.`;
}
