/** `tooltray://spill/{id}`: an answer on disk, whole, for client apps that read resources. */
import { AppError } from '../../base/errors.ts';
import type { OwnResource } from '../own-resource.ts';

const address = 'tooltray://spill/';

export const spillResource: OwnResource = {
  definition: { uriTemplate: `${address}{id}`, name: 'answers kept on disk' },
  async read(uri, { resultFiles }) {
    if (!uri.startsWith(address)) return undefined;
    try {
      return { uri, ...(await resultFiles.content(uri.slice(address.length))) };
    } catch (error) {
      // Said as of any resource there is not; what is too big for it says so itself.
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  },
};
