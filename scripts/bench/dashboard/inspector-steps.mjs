/**
 * What a user does with a long answer in the inspector, step by step: each gets the page, and ends when it is on
 * screen.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const graceMs = 240_000;
/** A little more than one takes. */
const bytesOfElement = 150;

function textOf(page) {
  return page.getByRole('region', { name: 'Text of the result' });
}

function seen(locator) {
  return locator.first().waitFor({ timeout: graceMs });
}

async function openTab(page, name) {
  await page.getByRole('tab', { name }).click();
}

const inText = {
  'open, first lines': async (page) => {
    await openTab(page, 'Text');
    await seen(textOf(page).getByText('1', { exact: true }));
    await page.waitForFunction(() => document.querySelector('.line .words') !== null, undefined, {
      timeout: graceMs,
    });
  },
  'to the end': async (page) => {
    await textOf(page).focus();
    await page.keyboard.press('End');
    await linesThere(page);
    const last = await page.locator('.line .place').last().innerText();
    return `line ${Number(last).toLocaleString('en')}`;
  },
  'scrolled by the wheel, 200 turns': async (page) => {
    await textOf(page).hover();
    for (let turn = 0; turn < 200; turn++) await page.mouse.wheel(0, -300);
    await linesThere(page);
  },
  'dragged through by the scrollbar': async (page) => {
    for (let place = 0; place <= 40; place++) {
      await textOf(page).evaluate((region, share) => (region.scrollTop = region.scrollHeight * share), place / 40);
      await sleep(25);
    }
    await linesThere(page);
  },
};

/** What is in sight was read; two frames later, so that what was just scrolled to is in sight. */
async function linesThere(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(
    () => [...document.querySelectorAll('.line')].every((line) => line.querySelector('.words') !== null),
    undefined,
    { timeout: graceMs },
  );
}

function finding(text, expected) {
  return async (page) => {
    await page.getByRole('searchbox', { name: 'Find' }).fill(text);
    await page.keyboard.press('Enter');
    await seen(page.getByText(expected));
    await linesThere(page);
    return page.locator('form [role=status]').innerText();
  };
}

async function stopFinding(page) {
  await page.getByRole('searchbox', { name: 'Find' }).fill('this stands nowhere');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop' }).click({ timeout: graceMs });
}

function asking(query, expected) {
  return async (page, bytes) => {
    await openTab(page, 'Query');
    await page.getByRole('button', { name: 'JSONPath' }).click();
    await page.getByRole('textbox', { name: 'JSONPath' }).fill(query(bytes));
    await page.keyboard.press('Enter');
    await seen(
      page.getByRole('region', { name: 'Query result' }).getByText(expected).or(page.getByText('Query failed')),
    );
    return (await page.getByRole('tabpanel').innerText()).replaceAll('\n', ' ').slice(0, 120);
  };
}

function part(path, tab) {
  return async (page) => {
    await openTab(page, 'Tree');
    await page.getByRole('textbox', { name: 'Part to show' }).fill(path);
    await page.keyboard.press('Enter');
    await seen(page.locator('.tree').or(page.getByText('Could not parse')));
    if (tab === 'Table') {
      await openTab(page, /^Table/);
      await seen(page.getByRole('table', { name: 'Rows of the result' }));
    }
    return (await page.getByRole('tabpanel').innerText()).replaceAll('\n', ' ').slice(0, 160);
  };
}

export const textSteps = {
  ...inText,
  'find what stands in many places': finding('777 the quick', /^1 of/),
  'find what stands nowhere': finding('this stands nowhere at all', 'nothing found'),
  'a search is stopped': stopFinding,
};

export const jsonSteps = {
  ...inText,
  'find what stands everywhere': finding('file-7.txt', /^1 of/),
  'a search is stopped': stopFinding,
  'query of the first': asking(() => '$[3].name', 'item 3'),
  'query of one far away': asking((bytes) => `$[${Math.floor(bytes / bytesOfElement)}].name`, 'item'),
  'query with a condition': asking(() => '$[?@.id == 7].path', 'file-7.txt'),
  'tree of the first hundred': part('$[0:100]'),
  'table of a thousand': part('$[0:1000]', 'Table'),
};
