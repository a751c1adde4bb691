import { test } from 'vitest';
import { retrieveMode } from '/work/main/src-main/core/modes/retrieve.ts';
import { countTokens } from '/work/main/src-main/core/activity/count-tokens.ts';
import { helperContext } from '/work/main/tests/core/modes/helper-context.ts';
import { serverWith } from '/work/main/tests/core/catalog/catalog-of.ts';
test('x', () => {
  for (const h of retrieveMode.helpers) console.log(h.definition.name, countTokens(JSON.stringify(h.definition)));
  const ins = retrieveMode.instructions(helperContext([serverWith('github', {}), serverWith('filesystem', {})]));
  console.log(countTokens(JSON.stringify({ tools: retrieveMode.helpers.map((h) => h.definition) }) + ins), countTokens(ins));
});
