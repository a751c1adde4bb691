/** `tooltray remove NAME`: takes a server out of the config file. */
import { removeServer } from '../../core/config/edit-config.ts';
import { openCliConfig, updateServer } from '../cli-config.ts';
import { command, commonFlags } from '../command.ts';
import { printAnswer } from '../terminal.ts';

export const remove = command({
  words: 'NAME',
  flags: commonFlags,
  async run({ config, json }, [name = '']) {
    const store = await openCliConfig(config);
    await updateServer(store, name, removeServer);
    printAnswer(json, { name, file: store.path, changed: true }, () => [
      `Removed ${name} from ${store.path}. The file as it was is kept beside it (.bak).`,
    ]);
    return 0;
  },
});
