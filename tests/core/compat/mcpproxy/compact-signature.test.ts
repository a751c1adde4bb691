/** Promises of MCPProxy's one-line signatures: the worked examples of its grammar, and what it leaves open. */
import { expect, test } from 'vitest';
import { compactSignature } from '../../../../src-main/core/compat/mcpproxy/tool-entry.ts';

const object = (properties: object, required: string[] = []): object => ({ type: 'object', properties, required });
const one = (schema: object): object => object({ a: schema });

test.each<[string, unknown, string]>([
  ['nothing', { type: 'object' }, '()'],
  ['no schema', 'nonsense', '(~)'],
  ['a list', [1, 2], '(~)'],
  ['a schema of something else', { type: 'array' }, '(~)'],
  ['properties that are none', { properties: [] }, '(~)'],
  ['alternatives alone', { anyOf: [{ required: ['a'] }] }, '(~)'],
  ['alternatives beside properties', { properties: { a: { type: 'string' } }, anyOf: [] }, '(a:str, ~)'],
  [
    'required first, then by name, with a short default',
    object(
      {
        ...{ origin: { type: 'string' }, ttl: { type: 'integer', default: 3600 } },
        ...{ certificate_id: { type: 'string' }, custom_domain: { type: 'string' } },
      },
      ['origin'],
    ),
    '(origin*:str, certificate_id:str, custom_domain:str, ttl:int=3600)',
  ],
  [
    'an object that is required',
    object({ name: { type: 'string' }, account: { type: 'object', properties: { id: {} } } }, ['name', 'account']),
    '(name*:str, account*~:obj)',
  ],
  ['simple types', object({ c: { type: 'number' }, d: { type: 'boolean' } }), '(c:num, d:bool)'],
  ['required in their order, once', object({ b: { type: 'string' }, a: {} }, ['b', 'a', 'b']), '(b*:str, a*~:any)'],
  ['a required name that has no schema', object({}, ['ghost']), '(ghost*~:any)'],
  ['a default of what is required', object({ mode: { type: 'string', default: 'auto' } }, ['mode']), '(mode*:str)'],
  ['no as a default', one({ type: 'boolean', default: false }), '(a:bool=false)'],
  ['null as a default', one({ type: 'string', default: null }), '(a:str=null)'],
  ['a default in the letters of the notation', one({ type: 'string', default: '=|' }), '(a:str="=|")'],
  ['a long default', one({ type: 'string', default: 'x'.repeat(30) }), '(a:str)'],
  ['a list as a default', one({ type: 'array', items: { type: 'string' }, default: ['a'] }), '(a:[str])'],
  ['a list of objects', one({ type: 'array', items: { type: 'object', properties: {} } }), '(a~:[obj])'],
  ['a list of anything', one({ type: 'array' }), '(a~:[any])'],
  ['a list of certain values', one({ type: 'array', items: { type: 'string', enum: ['x'] } }), '(a~:[str])'],
  ['values', one({ enum: ['full', 'partial'] }), '(a:enum[full|partial])'],
  ['numbers as values', one({ enum: [1, 2, 3] }), '(a:enum[1|2|3])'],
  ['one value', one({ const: 'x' }), '(a:enum[x])'],
  ['many values', one({ type: 'string', enum: ['1', '2', '3', '4', '5', '6'] }), '(a~:str)'],
  ['many values without a type', one({ enum: [1, 2, 3, 4, 5, 6] }), '(a~:any)'],
  ['two types', one({ type: ['string', 'integer'] }), '(a:str|int)'],
  ['a type or null', one({ type: ['string', 'null'] }), '(a:str)'],
  ['an alternative or null', one({ anyOf: [{ type: 'string' }, { type: 'null' }] }), '(a:str)'],
  ['alternatives', one({ anyOf: [{ type: 'string' }, { type: 'integer' }] }), '(a:str|int)'],
  ['alternatives of objects', one({ oneOf: [{ type: 'object' }, { type: 'object' }] }), '(a~:obj)'],
  ['an object', one({ type: 'object' }), '(a~:obj)'],
  ['a reference', { ...one({ $ref: '#/$defs/x' }), $defs: { x: { type: 'integer' } } }, '(a:int)'],
  ['a reference to nowhere', one({ $ref: '#/$defs/gone' }), '(a~:obj)'],
  ['a reference to itself', { ...one({ $ref: '#/$defs/x' }), $defs: { x: { $ref: '#/$defs/x' } } }, '(a~:obj)'],
  [
    'names and values in the letters of the notation',
    object({ 'filter:key': { enum: ['a|b', 'c'] } }, ['filter:key']),
    '("filter:key"*:enum["a|b"|c])',
  ],
  [
    'a quote and a backslash',
    object({ 'a"\\b': { type: 'string' }, 'c\\d': { type: 'string' } }),
    String.raw`("a\"\\b":str, c\d:str)`,
  ],
])('%s', (_what, schema, sig) => {
  expect(compactSignature(schema)).toEqual({ sig, lossy: sig.includes('~') });
});
