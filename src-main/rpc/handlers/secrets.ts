/** Requests about secrets: never accessible to models, and no value is ever returned. */
import type { Handlers } from '../deps.ts';

export const secretHandlers = {
  secrets: (_input, { trust }) => trust.secrets.list(),
  setSecret: ({ name, value }, { trust }) => trust.secrets.set(name, value),
  removeSecret: ({ name }, { trust }) => trust.secrets.remove(name),
  plaintextSecrets: async ({ server, entry }, { trust }) => ({
    found: entry === undefined ? await trust.secrets.findPlain(server) : trust.secrets.findInEntry(server ?? '', entry),
  }),
  moveSecrets: ({ server }, { trust }) => trust.secrets.sealConfig(server),
  unlockVault: ({ passphrase }, { trust }) => trust.secrets.unlock(passphrase),
  moveVaultKey: ({ place, passphrase, begin = false }, { trust }) => trust.secrets.moveKey(place, passphrase, begin),
} satisfies Handlers;
