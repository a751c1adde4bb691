/** Adds servers to a config file, one update each: `node update-many.fixture.ts <file> <prefix> <count>`. */
import { addServer } from '../../../src-main/core/config/edit-config.ts';
import { updateConfigFile } from '../../../src-main/core/config/update-config-file.ts';

const [file = '', prefix = '', count = '0'] = process.argv.slice(2);
for (let index = 0; index < Number(count); index++) {
  await updateConfigFile(file, (text) => addServer(text, `${prefix}${index}`, { command: 'true' }));
}
