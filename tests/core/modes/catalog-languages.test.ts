/** Instructions name the languages of tool descriptions if English words would not find them. */
import { expect, test } from 'vitest';
import { languagesText } from '../../../src-main/core/modes/catalog-languages.ts';
import { searchMode } from '../../../src-main/core/modes/search-mode.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { helperContext } from './helper-context.ts';

const contextOf = (...descriptions: string[]): ReturnType<typeof helperContext> =>
  helperContext([
    serverWith('s', {
      tools: descriptions.map((description, i) => ({ name: `tool_${i}`, description, inputSchema: {} })),
    }),
  ]);
const told = (...descriptions: string[]): string => languagesText(contextOf(...descriptions).catalog);

test.each([
  ['Chinese', '获取指定城市的天气预报。'],
  ['Chinese', '通过 Bing 搜索 API 查询天气预报'],
  ['Japanese', '指定した都市の天気予報を取得します。'],
  ['Korean', '도시의 날씨를 알려 줍니다.'],
  ['Cyrillic', 'Прогноз погоды для города.'],
])('names %s for %j', (language, description) => {
  expect(told(description, 'Forecast.')).toBe(` Some are described in ${language}: search in that, too.`);
});

test('names no language for English, accents, a single foreign word or one tool among many', () => {
  expect(
    told('Weather of a city.', 'Prévisions météo à Paris.', 'Translates from Chinese (中文) to English and back.'),
  ).toBe('');
  expect(told('获取天气预报。', ...Array.from({ length: 40 }, () => 'Reads a file.'))).toBe('');
  expect(told()).toBe('');
});

test('adds the languages to the instructions of modes that search', () => {
  expect(searchMode.instructions(contextOf('获取天气预报。'))).toMatch(/Tools of: s\. Some are described in Chinese/);
});
