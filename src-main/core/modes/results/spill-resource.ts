/** `tooltray://spill/{id}`: an answer on disk, whole, for client apps that read resources. */
import type { OwnResource } from '../own-resource.ts';

const address = 'tooltray://spill/';

export const spillResource: OwnResource = {
  definition: { uriTemplate: `${address}{id}`, name: 'answers kept on disk' },
  async read(uri, { resultFiles }) {
    if (!uri.startsWith(address)) return undefined;
    return { uri, ...(await resultFiles.content(uri.slice(address.length))) };
  },
};
