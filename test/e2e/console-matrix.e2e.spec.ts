import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readFile, writeFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { teamConfig, teamScript } from '../support/console-team.ts';
import { visit, type Visit } from '../support/console-visit.ts';
import { openBrowser, runConsole, type RunningConsole } from '../support/running-console.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

vi.setConfig({ testTimeout: 120_000 });

let daemon: RunningDaemon;
let served: RunningConsole;
let browser: Browser;
let window: Visit;
let page: Page;

beforeAll(async () => {
  daemon = await runDaemon(teamConfig, teamScript);
  served = await runConsole(daemon.url());
  browser = await openBrowser();
}, 120_000);

afterAll(async () => {
  await browser.close();
  await daemon.stop();
  await served.stop();
  await daemon.remove();
});

beforeEach(async () => {
  window = await visit(browser, daemon, served);
  page = window.page;
});

afterEach(async () => {
  const { complaints } = window;
  await window.context.close();
  expect(complaints).toEqual([]);
});

const start = (agent: string, input: string) =>
  daemon.admin().post(`/v1/agents/${agent}/turns`, { input, wait: true });

const cell = (key: string) => page.locator(`[data-cell="${key}"]`);

describe('given a matrix without proof', () => {
  it('says how to begin, and later that a cell is the worst of all agents', async () => {
    await page.locator('[data-hint="begin"]').waitFor();
    await start('writer', 'search');
    await start('reader', 'look around');
    await page.locator('[data-hint="agents"]').getByRole('link', { name: 'writer' }).click();
    await page.waitForURL('**/?agent=writer');
    await page.locator('[data-hint="triggers"]').waitFor();
  });
});

describe('given the matrix of every setting', () => {
  it('holds 69 settings by surface and is one thing to scroll', async () => {
    await page.setViewportSize({ width: 1360, height: 860 });
    await cell('tools.denied:gateway').waitFor();
    expect(await page.locator('[data-cell$=":gateway"]').count()).toBe(69);
    const heights = await page.evaluate<readonly [number, number]>(
      '[document.documentElement.scrollHeight, document.documentElement.clientHeight]',
    );
    expect(heights[0]).toBeLessThanOrEqual(heights[1]);
  });

  it('opens a path into its triggers by its head and by a key, and keeps that in the address', async () => {
    await page.locator('[data-path="gateway"] button').click();
    await page.locator('[data-trigger="gateway.rest"]').waitFor();
    await cell('tools.denied:gateway.rest').waitFor();
    expect(page.url()).toContain('open=gateway');
    await page.locator('[data-place="0:2"]').focus();
    await page.keyboard.press('o');
    await page.locator('[data-trigger="gateway.rest"]').waitFor({ state: 'detached' });
    await page.keyboard.press('o');
    await page.locator('[data-trigger="gateway.rest"]').waitFor();
    await page.keyboard.press('ArrowRight');
    await cell('tools.allowed:gateway.rest').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('tools.allowed on gateway').waitFor();
  });

  it('folds surfaces to how many of their settings are enforced', async () => {
    await page.getByRole('button', { name: 'Fold all surfaces' }).click();
    await cell('tools.denied:gateway').waitFor({ state: 'detached' });
    await page.locator('[data-surface="tools"] button').click();
    await cell('tools.denied:gateway').waitFor();
    expect(await page.locator('[data-surface="tools"]').innerText()).toMatch(/\d+\/\d+/);
  });

  it('says of a closed cell why nothing can start there', async () => {
    const closed = cell('tools.denied:channel');
    await closed.waitFor();
    expect(await closed.getAttribute('aria-label')).toMatch(
      /^tools\.denied on channel: n\/a\. .{10,}/,
    );
  });
});

describe('given an opened cell', () => {
  it('tells live turns from those of probes, with what was expected and seen', async () => {
    await start('writer', 'search');
    await window.go('/?agent=writer&cell=tools.denied:gateway');
    const entry = page.locator('[data-evidence="writer.rest"]');
    const facts = await entry.locator('dl').innerText();
    expect(facts).toMatch(/live\s+\d+ turns?, in which it decided something \d+ times?/);
    expect(facts).toMatch(/probes\s+no turn/);
    await entry.getByText('expected and seen are equal').waitFor();
  });
});

describe('given a second config version', () => {
  it('shows the matrix as the first one expected it', async () => {
    await start('writer', 'search');
    const text = await readFile(daemon.config, 'utf8');
    await writeFile(
      daemon.config,
      text.replace('denied = ["file_search"]', 'denied = ["time_now"]'),
    );
    await page.getByLabel('config version', { exact: true }).first().click();
    await page.getByRole('option', { name: 'config version 2' }).waitFor();
    await page.getByRole('option', { name: 'config version 1' }).click();
    await page.waitForURL('**version=1*');
    await window.go('/?agent=writer&version=1&cell=tools.denied:gateway');
    const entry = page.locator('[data-evidence="writer.rest"]');
    await entry.getByText('expected and seen are equal').click();
    await entry.getByText('builtin:file_search').first().waitFor();
    await window.go('/?agent=writer&cell=tools.denied:gateway');
    await entry.waitFor();
    expect(await entry.locator('pre').first().innerText()).not.toContain('file_search');
  });
});
