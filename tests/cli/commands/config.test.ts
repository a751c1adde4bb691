/** `tooltray config path` and `config edit`. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliHome, entries } from '../cli-home.ts';

test('config path prints the path of the file', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect(await home.run('config', 'path')).toEqual({ code: 0, stdout: `${home.configFile}\n`, stderr: '' });
  expect((await home.json('config', 'path')).data).toEqual({ path: home.configFile });
});

test.skipIf(process.platform === 'win32')(
  'config edit opens the file in the editor, and exits with 1 if it is invalid afterwards',
  async () => {
    await using home = new CliHome({ echo: entries.echo });
    const editor = join(home.path, 'editor.sh');
    const edit = async (text: string): Promise<{ code: number | null; stdout: string }> => {
      writeFileSync(editor, `#!/bin/sh\nprintf '%s' '${text}' > "$2"\n`);
      chmodSync(editor, 0o755);
      return home.runWith({ env: { VISUAL: `${editor} --wait` } }, 'config', 'edit');
    };
    expect(await edit('{ "mode": "search", "servers": {} }')).toMatchObject({ code: 0 });
    expect(home.configText()).toContain('"mode": "search"');
    expect(await edit('{ "mode": "nowhere" }')).toMatchObject({ code: 1 });
    const none = await home.runWith({ env: { VISUAL: '', EDITOR: '' } }, 'config', 'edit');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining(home.configFile)]);
  },
);

test('config edit reports an editor that does not exist', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const { code, stderr } = await home.runWith({ env: { VISUAL: '/no/such/editor' } }, 'config', 'edit');
  expect([code, stderr]).toEqual([1, expect.stringContaining('/no/such/editor')]);
});
