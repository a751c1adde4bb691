/** The word splitter. */

import { expect, test } from 'vitest';
import { tokenize } from '../../../src-main/core/search/word-hashes.ts';

test.each([
  ['read_file, list-items.v2', ['read', 'file', 'list', 'items', 'v2']],
  ['getUserById', ['getuserbyid', 'get', 'user', 'by', 'id', 'getuser', 'userby', 'byid']],
  ['MySQL', ['mysql', 'my', 'sql']],
  ['parseHTTPResponse', ['parsehttpresponse', 'parse', 'http', 'response', 'parsehttp', 'httpresponse']],
  ['URLs of EC2Instances', ['urls', 'of', 'ec2instances', 'ec2', 'instances']],
  ['listURLs', ['listurls', 'list', 'urls']],
  ['Café ＡＢＣ', ['cafe', 'abc']],
  ['天气预报', ['天气', '气预', '预报']],
  ['検索API', ['検索', 'api']],
  ['图', ['图']],
  ['🔍 find', ['🔍', 'find']],
  ['--- ::: \ud800', []],
  ['', []],
])('splits %j', (text, words) => {
  expect(tokenize(text)).toEqual(words);
});

test('truncates a word of a megabyte', () => {
  expect(tokenize('a'.repeat(1_000_000))).toEqual(['a'.repeat(64)]);
});
