/** Any entry in a product's format is read back unchanged. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readServersOfText } from '../../../../src-main/core/config/dialects/read-servers.ts';
import { madeUp } from '../../../support/all-cases.ts';
import { writers } from './writers.ts';

/** Without placeholder characters, which would be interpreted. */
const value = fc.string({
  unit: fc.constantFrom(...'abcXYZ019 _-./\\:=,;"\'#&*()[]éß漢🙂'),
  minLength: 1,
  maxLength: 20,
});
const word = fc.stringMatching(/^[a-z][a-z0-9._-]{0,12}$/);
const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/);
const variable = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,12}$/);

const commands = fc.record({
  command: word,
  args: fc.array(value, { minLength: 1, maxLength: 4 }),
  env: fc.dictionary(variable, value, { maxKeys: 3 }),
});
const addresses = fc.record({
  url: fc.webUrl({ validSchemes: ['https'] }).filter((url) => !/[%$]/.test(url)),
  headers: fc.dictionary(name, value, { maxKeys: 3 }),
});

function filled(entry: object): object {
  return Object.fromEntries(
    Object.entries(entry).filter(([, one]) => typeof one !== 'object' || Object.keys(one as object).length > 0),
  );
}

describe.each(writers.map((writer) => [writer.id, writer] as const))('%s', (id, writer) => {
  test('reads back a command and an address as written', () => {
    fc.assert(
      fc.property(name, commands, addresses, fc.boolean(), (server, local, net, isOff) => {
        const off = isOff ? writer.off : undefined;
        const raw = { ...writer.command(local.command, local.args, local.env), ...off };
        const text = writer.text({ [server]: raw, [`${server}-net`]: writer.address(net.url, net.headers) });
        const { servers } = readServersOfText(text, `/c/${writer.file}`, { home: '/home/me' });
        const found = Object.fromEntries(servers.map((one) => [one.name ?? '', one.entry]));
        const { pathname } = new URL(net.url);
        // ToolMux's rule for a URL without a path; Magg's for one with this ending.
        const url = id === 'toolmux' && pathname === '/' ? new URL('/mcp', net.url).href : net.url;
        const type = id === 'magg' && /\/sse\/?$/.test(net.url) ? { type: 'sse' } : {};
        expect(found).toEqual({
          [server]: { ...filled(local), ...(off !== undefined && { enabled: false }) },
          [`${server}-net`]: filled({ ...net, url, ...type }),
        });
      }),
      madeUp(60),
    );
  });
});
