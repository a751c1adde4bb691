/** `magg_list_kits` and `magg_kit_info`. */
import { brokenKit, kitNotFound } from '../../admin/kit-changes.ts';
import { kitFacts, kitList, shownKit } from './kit-facts.ts';
import { maggTool } from './magg-tool.ts';
import { requireText } from './read-input.ts';

export const listKits = maggTool({
  name: 'magg_list_kits',
  description: 'List the kits (bundles of servers) in kit.d.',
  readOnly: true,
  run: async (_input, context) => ({ output: await kitList(context) }),
});

export const showKit = maggTool({
  name: 'magg_kit_info',
  description: 'Show one kit with its servers.',
  properties: { name: { type: 'string' } },
  required: ['name'],
  readOnly: true,
  async run(input, context) {
    const name = requireText(input, 'name');
    const found = (await kitFacts(context)).find((kit) => kit.name === name);
    if (found !== undefined) return { output: shownKit(found) };
    const { kits, broken } = await context.admin.kits();
    const file = broken.find((one) => one.name === name);
    throw file === undefined ? kitNotFound(name, kits) : brokenKit(file);
  },
});
