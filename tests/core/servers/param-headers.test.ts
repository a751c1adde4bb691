/** Tool arguments that are sent as headers. */
import { expect, test } from 'vitest';
import { parseJson } from '../../../src-main/core/base/json.ts';
import { paramHeaders, paramMismatch } from '../../../src-main/core/servers/param-headers.ts';

const tool = (properties: Record<string, unknown>): Record<string, unknown> => ({
  name: 't',
  inputSchema: { type: 'object', properties },
});
const marked = tool({ region: { type: 'string', 'x-mcp-header': 'Region' }, other: { type: 'string' } });

test('sends only marked arguments as headers', () => {
  expect(paramHeaders(marked, { region: 'eu-west', other: 'x' })).toEqual({ 'Mcp-Param-Region': 'eu-west' });
});

test.each([
  ['a number', 7, '7'],
  ['false', false, 'false'],
  ['a number that keeps its spelling', parseJson('1.50'), '1.50'],
  ['blanks inside', 'a b', 'a b'],
  ['a blank at the end', 'a ', '=?base64?YSA=?='],
  ['nothing', '', '=?base64??='],
  ['a line break', 'a\r\nX: y', '=?base64?YQ0KWDogeQ==?='],
  ['letters beyond ASCII', 'Zürich', '=?base64?WsO8cmljaA==?='],
  ['what looks like our own marking', '=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
])('encodes %s for a header', (_what, value, written) => {
  expect(paramHeaders(marked, { region: value })).toEqual({ 'Mcp-Param-Region': written });
});

test.each([
  ['an object', marked, { region: {} }],
  ['null', marked, { region: null }],
  ['a missing argument', marked, {}],
  ['arguments that are no object', marked, 'x'],
  ['an unknown tool', undefined, { region: 'x' }],
  ['a schema without properties', { name: 't', inputSchema: {} }, { region: 'x' }],
  ['a marking that no header name can be', tool({ region: { 'x-mcp-header': 'a b\r\nX: y' } }), { region: 'x' }],
])('returns no header for %s', (_what, of, args) => {
  expect(paramHeaders(of, args)).toBeUndefined();
});

const deep = tool({ where: { type: 'object', properties: { zone: { type: 'integer', 'x-mcp-header': 'Zone' } } } });

test('sends nested arguments as headers', () => {
  expect(paramHeaders(deep, { where: { zone: 7 } })).toEqual({ 'Mcp-Param-Zone': '7' });
});

test.each([
  ['the same text', marked, { region: 'eu' }, 'eu'],
  ['the same text as base64', marked, { region: 'Hello' }, '=?base64?SGVsbG8=?='],
  ['what only looks like base64', marked, { region: 'SGVsbG8=' }, 'SGVsbG8='],
  ['half a marking', marked, { region: '=?base64?SGVsbG8=' }, '=?base64?SGVsbG8='],
  ['another spelling of the number', deep, { where: { zone: 42 } }, '42.0'],
  ['nothing for a missing argument', marked, {}, undefined],
  ['anything for a missing argument', marked, { region: null }, 'stray'],
])('accepts %s', (_what, of, args, header) => {
  const name = of === deep ? 'mcp-param-zone' : 'mcp-param-region';
  expect(paramMismatch(of, args, { [name]: header })).toBeUndefined();
});

test.each([
  ['another text', { region: 'eu' }, 'us', 'is "us"'],
  ['no header', { region: 'eu' }, undefined, 'the header Mcp-Param-Region is missing'],
  ['base64 without its end', { region: 'Hello' }, '=?base64?SGVsbG8?=', 'is not valid base64'],
  ['letters that base64 has not', { region: 'Hello' }, '=?base64?SGVs!!!bG8=?=', 'is not valid base64'],
])('rejects %s', (_what, args, header, fault) => {
  expect(paramMismatch(marked, args, { 'mcp-param-region': header })).toContain(fault);
});
