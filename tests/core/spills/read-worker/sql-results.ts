/** Eight results as real servers send them, and queries whose expected rows are computed from the same data. */

const days = (count: number): string => new Date(Date.UTC(2026, 0, 1) + count * 86_400_000).toISOString();
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;

// GitHub: issues with users and labels.
const issues = Array.from({ length: 300 }, (_, i) => ({
  id: 3_000_000_000 + i,
  number: i + 1,
  title: `${pick(['Crash', 'Slow start', 'Wrong colour', "Can't open"], i)} in part ${i % 17}`,
  state: i % 3 === 0 ? 'open' : 'closed',
  user: { login: `user${i % 11}`, id: i % 11, site_admin: i % 11 === 3 },
  labels: i % 5 === 0 ? [{ name: 'bug' }, { name: 'p1' }] : [{ name: 'question' }],
  comments: (i * 7) % 23,
  created_at: days(i % 90),
  closed_at: i % 3 === 0 ? null : days((i % 90) + (i % 9)),
  body: `Steps to see it, and what was expected. ${'More words about it. '.repeat(i % 6)}`,
}));

// A shop: several lists below one member.
const customers = Array.from({ length: 40 }, (_, i) => ({
  id: i + 1,
  name: `Customer ${i + 1}`,
  city: pick(['Wien', 'Graz', 'Linz'], i),
}));
const orders = Array.from({ length: 500 }, (_, i) => ({
  order: `A-${1000 + i}`,
  customer: (i % 37) + 1,
  total: Math.round(((i * 37) % 500) * 101) / 100,
  paid: i % 4 !== 0,
  placed: days(i % 120),
}));

// A database: CSV with quotes, empty cells, and codes with leading zeros.
const people = Array.from({ length: 400 }, (_, i) => ({
  id: i + 1,
  name: i % 50 === 0 ? `O'Neil, "Ann" ${i}` : `Person ${i}`,
  zip: String((i * 13) % 1000).padStart(5, '0'),
  age: i % 9 === 0 ? '' : 18 + ((i * 11) % 60),
  team: pick(['red', 'green', 'blue'], i),
}));
const quoted = (cell: unknown): string =>
  /[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);
const peopleCsv = ['id,name,zip,age,team', ...people.map((one) => Object.values(one).map(quoted).join(','))].join(
  '\r\n',
);

// A log as NDJSON.
const logs = Array.from({ length: 600 }, (_, i) => ({
  time: days(0).replace(
    '00:00:00.000',
    `${String(Math.floor(i / 60)).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}:00.000`,
  ),
  level: i % 20 === 0 ? 'error' : i % 7 === 0 ? 'warn' : 'info',
  ms: (i * 31) % 997,
  path: pick(['/a', '/b', '/c?x=1'], i),
  ...(i % 20 === 0 && { error: { code: `E${i % 3}`, message: 'broke' } }),
}));

// A lock file: an object of objects.
const packages = Object.fromEntries(
  Array.from({ length: 120 }, (_, i) => [
    `node_modules/pkg-${i}`,
    {
      version: `${i % 5}.${i % 10}.0`,
      license: pick(['MIT', 'ISC', 'Apache-2.0', 'MIT'], i),
      dev: i % 2 === 0,
      size: i * 1000,
    },
  ]),
);

// A Markdown table, and an HTML table.
const cities = Array.from({ length: 60 }, (_, i) => ({
  city: `City ${i}`,
  country: pick(['AT', 'DE', 'CH'], i),
  people: i * 1234,
}));
const citiesMarkdown = [
  '# Cities',
  '',
  '| City | Country | People |',
  '|------|:-------:|-------:|',
  ...cities.map(({ city, country, people: count }) => `| ${city} | ${country} | ${count} |`),
  '',
  'Source: somebody.',
].join('\n');
const citiesHtml = `<html><body><table id=t><tr><th>City</th><th>Country</th><th>People</th></tr>${cities
  .map(({ city, country, people: count }) => `<tr><td><b>${city}</b></td><td>${country}</td><td>${count}</td></tr>`)
  .join('\n')}</table></body></html>`;

// A spreadsheet: lists of lists with a header; IDs that a double cannot represent.
const bigIds = Array.from({ length: 50 }, (_, i) => `90071992547409${String(i).padStart(2, '0')}7`);
const sheet = `{"range":"A1:C51","values":[["id","item","amount"],${bigIds
  .map((id, i) => `[${id},"thing ${i % 10}",${i / 4}]`)
  .join(',')}]}`;

interface Result {
  readonly kind: 'json' | 'text';
  readonly text: string;
}
const json = (value: unknown): Result => ({ kind: 'json', text: JSON.stringify(value, null, 1) });
const text = (content: string): Result => ({ kind: 'text', text: content });

export const results = {
  issues: json({ total_count: issues.length, items: issues }),
  shop: json({ data: { customers, orders }, next: null }),
  people: text(peopleCsv),
  logs: text(logs.map((one) => JSON.stringify(one)).join('\n')),
  packages: json({ name: 'app', lockfileVersion: 3, packages }),
  markdown: text(citiesMarkdown),
  html: text(citiesHtml),
  sheet: { kind: 'json', text: sheet },
} satisfies Record<string, Result>;

export type ResultName = keyof typeof results;

/** The result, the statement, its rows, and further results by table name. */
export type Question = readonly [
  ResultName,
  string,
  readonly (readonly unknown[])[],
  Readonly<Record<string, ResultName>>,
];

type AnyQuestion = readonly [
  ResultName,
  string,
  readonly (readonly unknown[])[],
  Readonly<Record<string, ResultName>>?,
];

const by = <T>(list: readonly T[], key: (one: T) => string): [string, T[]][] =>
  Object.entries(Object.groupBy(list, key) as Record<string, T[]>).toSorted(([a], [b]) => (a < b ? -1 : 1));
const open = issues.filter(({ state }) => state === 'open');
const byTotal = orders.toSorted((a, b) => b.total - a.total || (a.order < b.order ? -1 : 1));
const errors = logs.filter(({ level }) => level === 'error');
const aged = people.filter(({ age }) => age !== '').map((one) => ({ ...one, age: Number(one.age) }));
const listed = Object.entries(packages);

const asked: readonly AnyQuestion[] = [
  ['issues', 'SELECT count(*) FROM rows', [[300]]],
  ['issues', "SELECT count(*) FROM items WHERE state = 'open'", [[open.length]]],
  [
    'issues',
    'SELECT state, count(*) FROM rows GROUP BY state ORDER BY 1',
    [
      ['closed', 200],
      ['open', 100],
    ],
  ],
  ['issues', 'SELECT sum(comments) FROM rows', [[sum(issues.map(({ comments }) => comments))]]],
  ['issues', 'SELECT max(comments), min(number) FROM rows', [[22, 1]]],
  [
    'issues',
    "SELECT user->>'login' AS who, count(*) FROM rows GROUP BY who ORDER BY 2 DESC, who LIMIT 2",
    by(issues, ({ user }) => user.login)
      .toSorted((a, b) => b[1].length - a[1].length)
      .slice(0, 2)
      .map(([who, own]) => [who, own.length]),
  ],
  [
    'issues',
    "SELECT number FROM rows WHERE title LIKE 'crash%part 3' ORDER BY 1",
    issues.filter(({ title }) => /^crash.*part 3$/i.test(title)).map(({ number }) => [number]),
  ],
  ['issues', "SELECT count(DISTINCT json_extract(user, '$.login')) FROM rows", [[11]]],
  ['issues', "SELECT count(*) FROM rows, json_each(rows.labels) AS label WHERE label.value->>'name' = 'bug'", [[60]]],
  [
    'issues',
    "SELECT count(*) FROM rows WHERE created_at >= '2026-03-01'",
    [[issues.filter(({ created_at }) => created_at >= '2026-03-01').length]],
  ],
  [
    'issues',
    "SELECT strftime('%Y-%m', created_at) AS month, count(*) FROM rows GROUP BY month ORDER BY month",
    by(issues, ({ created_at }) => created_at.slice(0, 7)).map(([month, own]) => [month, own.length]),
  ],
  ['issues', 'SELECT count(*) FROM rows WHERE closed_at IS NULL', [[open.length]]],
  ['issues', 'SELECT max(julianday(closed_at) - julianday(created_at)) FROM rows', [[8]]],
  ['issues', "SELECT id FROM rows WHERE title REGEXP '^Can.t' ORDER BY number LIMIT 1", [[3_000_000_003]]],
  ['shop', 'SELECT count(*) FROM rows', [[500]]],
  ['shop', 'SELECT count(*) FROM data_customers', [[40]]],
  [
    'shop',
    'SELECT "order", total FROM data_orders ORDER BY total DESC, "order" LIMIT 3',
    byTotal.slice(0, 3).map(({ order, total }) => [order, total]),
  ],
  [
    'shop',
    'SELECT round(sum(total), 2) FROM rows WHERE paid',
    [[Math.round(sum(orders.filter(({ paid }) => paid).map(({ total }) => total)) * 100) / 100]],
  ],
  [
    'shop',
    'SELECT c.city, count(*) FROM rows JOIN data_customers AS c ON c.id = rows.customer GROUP BY c.city ORDER BY 1',
    by(orders, ({ customer }) => customers[customer - 1]?.city ?? '').map(([city, own]) => [city, own.length]),
  ],
  ['shop', 'SELECT count(*) FROM data_customers WHERE id NOT IN (SELECT customer FROM rows)', [[3]]],
  [
    'shop',
    "SELECT count(*) FROM rows WHERE date(placed) BETWEEN '2026-02-01' AND '2026-02-28'",
    [[orders.filter(({ placed }) => placed.startsWith('2026-02')).length]],
  ],
  ['shop', 'SELECT typeof(paid), paid FROM rows LIMIT 1', [['integer', 0]]],
  ['people', 'SELECT count(*) FROM rows', [[400]]],
  ['people', 'SELECT name FROM rows WHERE id = 1', [['O\'Neil, "Ann" 0']]],
  ['people', "SELECT zip FROM rows WHERE zip LIKE '00%' ORDER BY id LIMIT 1", [['00000']]],
  ['people', 'SELECT max(age), count(age) FROM rows', [[Math.max(...aged.map(({ age }) => age)), aged.length]]],
  [
    'people',
    'SELECT team, round(avg(age), 3) FROM rows GROUP BY team ORDER BY team',
    by(aged, ({ team }) => team).map(([team, own]) => [
      team,
      Math.round((sum(own.map(({ age }) => age)) / own.length) * 1000) / 1000,
    ]),
  ],
  ['people', 'SELECT DISTINCT team FROM rows ORDER BY 1', [['blue'], ['green'], ['red']]],
  ['people', 'SELECT count(*) FROM rows WHERE age IS NULL', [[people.length - aged.length]]],
  [
    'people',
    'SELECT count(*) FROM rows JOIN cities ON cities."People" = rows.id * 1234',
    [[59]],
    { cities: 'markdown' },
  ],
  [
    'logs',
    'SELECT level, count(*) FROM rows GROUP BY level ORDER BY level',
    by(logs, ({ level }) => level).map(([level, own]) => [level, own.length]),
  ],
  [
    'logs',
    "SELECT count(*) FROM rows WHERE error->>'code' = 'E0'",
    [[errors.filter(({ error }) => error?.code === 'E0').length]],
  ],
  [
    'logs',
    'SELECT path, max(ms) FROM rows GROUP BY path ORDER BY path',
    by(logs, ({ path }) => path).map(([path, own]) => [path, Math.max(...own.map(({ ms }) => ms))]),
  ],
  [
    'logs',
    "SELECT strftime('%H', time) AS hour, count(*) AS n FROM rows GROUP BY hour HAVING n > 59 ORDER BY hour",
    Array.from({ length: 10 }, (_, i) => [String(i).padStart(2, '0'), 60]),
  ],
  ['packages', "SELECT count(*) FROM packages WHERE license = 'MIT'", [[60]]],
  ['packages', 'SELECT _key FROM rows ORDER BY size DESC LIMIT 1', [[listed.at(-1)?.[0]]]],
  [
    'packages',
    "SELECT sum(size) FROM rows WHERE dev AND version LIKE '0.%'",
    [[sum(listed.filter(([, one]) => one.dev && one.version.startsWith('0.')).map(([, { size }]) => size))]],
  ],
  [
    'markdown',
    'SELECT Country, sum(People) FROM rows GROUP BY Country ORDER BY Country',
    by(cities, ({ country }) => country).map(([country, own]) => [country, sum(own.map(({ people: count }) => count))]),
  ],
  ['html', "SELECT City FROM rows WHERE Country = 'AT' ORDER BY People DESC LIMIT 1", [['City 57']]],
  [
    'sheet',
    "SELECT id, amount FROM rows WHERE item = 'thing 9' ORDER BY amount DESC LIMIT 1",
    [['9007199254740949' + '7', 49 / 4]],
  ],
];

export const questions = asked.map(([name, query, rows, joined = {}]): Question => [name, query, rows, joined]);
