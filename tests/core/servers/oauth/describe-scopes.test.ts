/** Describes OAuth scopes in words. */
import { expect, test } from 'vitest';
import { describeScope, describeScopes, splitScope } from '../../../../src-main/core/servers/oauth/describe-scopes.ts';

test.each([
  ['files:read', 'read files (files:read)', false],
  ['files:write', 'change files (files:write)', false],
  ['read:user', 'read user (read:user)', false],
  ['delete_repo', 'delete repo (delete_repo)', true],
  ['admin:org', 'manage org (admin:org)', true],
  ['Mail.Send', 'send mail (Mail.Send)', false],
  ['Files.ReadWrite.All', 'read and change files (Files.ReadWrite.All)', false],
  [
    'https://www.googleapis.com/auth/drive.readonly',
    'read drive (https://www.googleapis.com/auth/drive.readonly)',
    false,
  ],
  ['api://1234/Tasks.Read', 'read tasks (api://1234/Tasks.Read)', false],
  ['offline_access', 'stay signed in while you are away (offline_access)', false],
  ['openid', 'know which account you use (openid)', false],
  ['write', 'change everything there (write)', false],
  ['repo', 'repo', false],
  ['constructor', 'constructor', false],
  ['__proto__', '__proto__', false],
])('%s: %s', (scope, text, isGrave) => expect(describeScope(scope)).toEqual({ scope, text, isGrave }));

test('marks invisible characters and cuts long names', () => {
  expect(describeScope('a\u200b:read').text).toContain('⟨U+200B⟩');
  expect(describeScope('x'.repeat(5000)).text.length).toBeLessThan(200);
});

test('sorts the most dangerous scopes first and removes duplicates', () => {
  expect(describeScopes(splitScope(' a:read  a:delete a:read ')).map(({ scope }) => scope)).toEqual([
    'a:delete',
    'a:read',
  ]);
  expect(splitScope(undefined)).toEqual([]);
});
