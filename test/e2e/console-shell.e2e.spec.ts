import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Browser } from 'playwright-core';
import { faultsInBothThemes } from '../support/accessibility.ts';
import { teamConfig, teamScript } from '../support/console-team.ts';
import { live, signIn, visit } from '../support/console-visit.ts';
import { openBrowser, runConsole, type RunningConsole } from '../support/running-console.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

vi.setConfig({ testTimeout: 120_000 });

let daemon: RunningDaemon;
let served: RunningConsole;
let browser: Browser;
let searched: string;
let asked: string;

const start = async (agent: string, input: string) => {
  const answer = await daemon.admin().post(`/v1/agents/${agent}/turns`, { input, wait: true });
  return answer.body as { readonly id: string; readonly approvals: readonly string[] };
};

beforeAll(async () => {
  daemon = await runDaemon(teamConfig, teamScript);
  served = await runConsole(daemon.url());
  browser = await openBrowser();
  searched = (await start('writer', 'search')).id;
  asked = (await start('writer', 'write the note')).approvals[0] ?? 'none';
  await start('writer', 'ask me');
}, 120_000);

afterAll(async () => {
  await browser.close();
  await daemon.stop();
  await served.stop();
  await daemon.remove();
});

describe('given a sign-in link', () => {
  it('lets one browser in, and tells a second one how to get another', async () => {
    const code = daemon.daemon().signInLink();
    const [first, second] = [await browser.newPage(), await browser.newPage()];
    await first.goto(`${served.url}/signin?link=${code}`);
    await live(first);
    const stranger = await browser.newContext();
    const late = await stranger.newPage();
    await late.goto(`${served.url}/signin?link=${code}`);
    await late.getByText('This link does not sign you in').waitFor();
    await late.getByText('npx lockstep token local').waitFor();
    await stranger.close();
    await first.context().close();
    await second.context().close();
  });

  it('can be replaced by a token, and signing out ends what the browser may see', async () => {
    const context = await browser.newContext({ baseURL: served.url });
    const page = await context.newPage();
    await page.goto('/agents');
    await page.getByLabel('Token', { exact: true }).fill(daemon.local());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'writer', exact: true }).waitFor();
    await page.getByRole('button', { name: 'signed in as local' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You are not signed in').waitFor();
    const refused = await page.request.get('/v1/agents');
    expect(refused.status()).toBe(401);
    await context.close();
  });
});

describe('given a daemon that is gone for a while', () => {
  it('says so, keeps what it showed, and is live again by itself', async () => {
    const { page, context, go } = await visit(browser, daemon, served);
    await go('/turns');
    await page.locator(`[data-turn="${searched}"]`).waitFor();
    await served.line.cut();
    await page.getByText('The daemon does not answer.').waitFor();
    await page.locator('[data-connection="daemon-down"]').waitFor();
    expect(await page.locator(`[data-turn="${searched}"]`).count()).toBe(1);
    const missed = await start('writer', 'search');
    await served.line.join(daemon.url());
    await live(page);
    await page.locator(`[data-turn="${missed.id}"]`).waitFor();
    const next = await start('writer', 'search');
    await page.locator(`[data-turn="${next.id}"]`).waitFor();
    await context.close();
  });

  it('asks for a new sign-in after a new start, and is live again with it', async () => {
    const { page, context, go } = await visit(browser, daemon, served);
    await go('/agents');
    await page.getByRole('link', { name: 'writer', exact: true }).waitFor();
    await daemon.stop();
    await page.getByText('The daemon does not answer.').waitFor();
    await served.line.cut();
    await daemon.start();
    await served.line.join(daemon.url());
    await page.getByText('You are not signed in').waitFor();
    await signIn(page, daemon);
    await page.locator(`[data-cell="tools.denied:gateway"]`).waitFor();
    await context.close();
  });
});

describe('given the light theme and the dark one', () => {
  it('has no accessibility fault on any page', async () => {
    const { page, context, go, complaints } = await visit(browser, daemon, served);
    const places: readonly (readonly [path: string, ready: string])[] = [
      ['/', '[data-cell="tools.denied:gateway"]'],
      ['/?open=gateway,loop', '[data-trigger="gateway.rest"]'],
      ['/?cell=tools.denied:gateway', '[role="dialog"] table'],
      ['/agents', 'table'],
      ['/agents/writer', 'table'],
      ['/agents/writer?tab=trail', '[data-type="ToolCallRefused"]'],
      ['/agents/writer?tab=grants', 'main h2'],
      ['/turns', '[data-turn]'],
      [`/turns/${searched}`, '[data-type="ToolCallRefused"]'],
      [`/turns/${searched}?tab=policy`, 'table'],
      [`/approvals?id=${asked}`, '[data-request] a[aria-current]'],
      ['/approvals?state=decided', 'main h2'],
      ['/approvals?state=grants', 'main h2'],
      ['/approvals?state=unknown', 'main h2'],
      ['/work', 'main h2'],
      ['/work?tab=jobs', 'main h2'],
      ['/work?tab=procedures', 'main h2'],
    ];
    const faults: string[] = [];
    for (const [path, ready] of places) {
      await go(path);
      await page.locator(ready).first().waitFor();
      faults.push(...(await faultsInBothThemes(page)).map((fault) => `${path} ${fault}`));
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    faults.push(...(await faultsInBothThemes(page)).map((fault) => `palette ${fault}`));
    await context.clearCookies();
    await page.goto('/signin');
    await page.getByText('You are not signed in').waitFor();
    faults.push(...(await faultsInBothThemes(page)).map((fault) => `/signin ${fault}`));
    await context.close();
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);
});

describe('given a narrow window', () => {
  it('shows every page without scrolling sideways', async () => {
    const { page, context, go } = await visit(browser, daemon, served, { width: 390 });
    const wide: string[] = [];
    for (const path of [
      '/',
      '/agents',
      '/agents/writer',
      '/turns',
      `/turns/${searched}`,
      '/approvals',
      '/work',
    ]) {
      await go(path);
      await page.locator('main .page').waitFor();
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 390) wide.push(`${path} is ${width} wide`);
    }
    await context.close();
    expect(wide).toEqual([]);
  });
});

describe('given the keyboard', () => {
  it('goes to an agent by its name', async () => {
    const { page, context } = await visit(browser, daemon, served);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'page, agent, turn or id' }).fill('writer');
    await page.getByRole('option', { name: 'writer agent' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/agents/writer');
    await context.close();
  });

  it('opens the list of keys by a question mark', async () => {
    const { page, context } = await visit(browser, daemon, served);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await context.close();
  });
});

describe('given what waits for a person', () => {
  it('is counted on every page, with the age of the oldest', async () => {
    const { page, context, go } = await visit(browser, daemon, served);
    for (const path of ['/', '/agents', '/turns']) {
      await go(path);
      await page.getByLabel(/^2 waiting, the oldest for /).waitFor();
    }
    await context.close();
  });
});
