/** The sets of servers whose tools are counted, each with the uses of a typical session where it has one. */
import { installServers } from './install-servers.mjs';
import { entry, fixture } from './places.mjs';
import { Material, realServers } from './real-servers.mjs';
import { eightToolUses, realUses } from './tokens/tool-uses.mjs';

const fixtures = ['echo', 'echo-sdk', 'odd', 'asker', 'conformance'];

/** `peer`: tokens that ToolMux shows for tools of the same size, as measured in 2026-11. */
export async function serverSets(stack) {
  const ours = Object.fromEntries(fixtures.map((name) => [name, entry(fixture(name))]));
  const eight = Object.fromEntries(['files', 'web'].map((name) => [name, entry([...fixture('eight-tools'), name])]));
  const toolMux = { direct: 1160, proxy: 1081, gateway: 1434, meta: 1178, search: 368, code: 720 };
  return [
    await realSet(stack),
    { name: 'eight tools', servers: eight, uses: eightToolUses, peer: toolMux },
    { name: 'fixture servers', servers: ours },
  ];
}

async function realSet(stack) {
  await installServers();
  const material = new Material();
  stack.defer(() => material.remove());
  return { name: 'real servers', servers: realServers(material), uses: realUses(material) };
}
