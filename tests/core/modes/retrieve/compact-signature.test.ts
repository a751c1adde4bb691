import { expect, test } from 'vitest';
import { compactSignature } from '../../../../src-main/core/modes/retrieve/compact-signature.ts';

const object = (properties: object, required: string[] = []): object => ({ type: 'object', properties, required });
const one = (schema: object): object => object({ a: schema });

test.each<[string, unknown, string, boolean]>([
  ['nothing', { type: 'object' }, '()', false],
  ['no schema', 'nonsense', '(~)', true],
  ['properties that are none', { properties: [] }, '(~)', true],
  ['alternatives alone', { anyOf: [{ required: ['a'] }] }, '(~)', true],
  [
    'simple types',
    object({ a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'number' }, d: { type: 'boolean' } }),
    '(a:str, b:int, c:num, d:bool)',
    false,
  ],
  [
    'required in their order, optional ones sorted',
    object({ z: {}, y: {}, b: {}, a: {} }, ['z', 'y']),
    '(z*:any, y*:any, a:any, b:any)',
    false,
  ],
  ['a required name that has no schema', object({}, ['ghost']), '(ghost*:any~)', true],
  ['a default', one({ type: 'integer', default: 10 }), '(a:int=10)', false],
  ['a long default', one({ type: 'string', default: 'x'.repeat(30) }), '(a:str)', true],
  ['a list', one({ type: 'array', items: { type: 'string' } }), '(a:[str])', false],
  ['a list of anything', one({ type: 'array' }), '(a:[any])', false],
  ['values', one({ enum: ['x', 'y'] }), '(a:enum[x|y])', false],
  ['many values', one({ enum: [1, 2, 3, 4, 5, 6] }), '(a:enum[1|2|3|4|5|~])', true],
  ['several types', one({ type: ['string', 'null'] }), '(a:str|null)', false],
  ['alternatives', one({ anyOf: [{ type: 'string' }, { type: 'integer' }] }), '(a:str|int)', false],
  ['an object', one({ type: 'object' }), '(a:obj)', false],
  ['an object with names', one({ type: 'object', properties: { x: {} } }), '(a:obj~)', true],
  ['a reference', { ...one({ $ref: '#/$defs/x' }), $defs: { x: { type: 'integer' } } }, '(a:int)', false],
  ['a reference to nowhere', one({ $ref: '#/$defs/gone' }), '(a:any~)', true],
  [
    'a reference to itself',
    { ...one({ $ref: '#/$defs/x' }), $defs: { x: { type: 'array', items: { $ref: '#/$defs/x' } } } },
    '(a:[[[[any~]]]])',
    true,
  ],
  ['names that look like the notation', object({ 'a:b': {}, '~': {} }, ['~']), '("~"*:any, "a:b":any)', false],
])('%s', (_what, schema, sig, lossy) => {
  expect(compactSignature(schema)).toEqual({ sig, lossy });
});
