/** Requests about secrets: never accessible to models, and no value is ever returned. */
import type { Handlers } from '../deps.ts';

export const secretHandlers = {
  secrets: (_input, { core }) => core.secrets.list(),
  setSecret: ({ name, value }, { core }) => core.secrets.set(name, value),
  removeSecret: ({ name }, { core }) => core.secrets.remove(name),
  plainSecrets: async ({ server, entry }, { core }) => ({
    found: entry === undefined ? await core.secrets.findPlain(server) : core.secrets.findInEntry(server ?? '', entry),
  }),
  moveSecrets: ({ server }, { core }) => core.secrets.sealConfig(server),
  unlockVault: ({ passphrase }, { core }) => core.secrets.unlock(passphrase),
  placeVaultKey: ({ place, passphrase, begin = false }, { core }) => core.secrets.moveKey(place, passphrase, begin),
} satisfies Handlers;
