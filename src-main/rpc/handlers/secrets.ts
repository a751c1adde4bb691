/** Requests about secrets: never accessible to models, and no value is ever returned. */
import type { Handlers } from '../deps.ts';

export const secretHandlers = {
  secrets: (_input, { core }) => core.trust.secrets.list(),
  setSecret: ({ name, value }, { core }) => core.trust.secrets.set(name, value),
  removeSecret: ({ name }, { core }) => core.trust.secrets.remove(name),
  plainSecrets: async ({ server, entry }, { core }) => ({
    found:
      entry === undefined
        ? await core.trust.secrets.findPlain(server)
        : core.trust.secrets.findInEntry(server ?? '', entry),
  }),
  moveSecrets: ({ server }, { core }) => core.trust.secrets.sealConfig(server),
  unlockVault: ({ passphrase }, { core }) => core.trust.secrets.unlock(passphrase),
  placeVaultKey: ({ place, passphrase, begin = false }, { core }) =>
    core.trust.secrets.moveKey(place, passphrase, begin),
} satisfies Handlers;
