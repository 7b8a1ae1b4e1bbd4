import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility.ts';
import { policyConfig, policyScript } from '../support/console-policy-team.ts';
import { live, visit, type Visit } from '../support/console-visit.ts';
import { eventually } from '../support/eventually.ts';
import { openBrowser, runConsole, type RunningConsole } from '../support/running-console.ts';
import { doneLines } from '../support/rich-team.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

vi.setConfig({ testTimeout: 180_000 });

let folder: string;
let daemon: RunningDaemon;
let served: RunningConsole;
let browser: Browser;
let window: Visit;
let page: Page;
let looked: string;

const start = async (agent: string, input: string, wait = true): Promise<string> => {
  const answer = await daemon.admin().post(`/v1/agents/${agent}/turns`, { input, wait });
  return (answer.body as { readonly id: string }).id;
};

/** Leaves calls behind that nobody knows the end of. */
const leaveCalls = async (): Promise<void> => {
  const lines = join(folder, 'lines');
  for (const name of ['one', 'two', 'three']) await start('busy', `hang on ${name}`, false);
  await eventually('calls that hang', async () =>
    (await doneLines(lines)).length === 3 ? true : null,
  );
  await daemon.stop();
  await writeFile(`${lines}.go`, '');
  await daemon.start();
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-console-policy-'));
  daemon = await runDaemon(policyConfig(join(folder, 'lines')), policyScript);
  await leaveCalls();
  looked = await start('writer', 'look around');
  served = await runConsole(daemon.url());
  browser = await openBrowser();
}, 180_000);

afterAll(async () => {
  await browser.close();
  await daemon.stop();
  await served.stop();
  await daemon.remove();
  await rm(folder, { recursive: true, force: true });
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

interface Config {
  readonly version: number;
  readonly digest: string;
  readonly text: string;
}
const configNow = async (): Promise<Config> =>
  (await daemon.admin().get('/v1/config')).body as Config;

/** Somebody else brings a config into force. */
const putElsewhere = async (from: string, to: string): Promise<void> => {
  const { text, digest } = await configNow();
  expect(text).toContain(from);
  const body = { text: text.replace(from, to) };
  const answer = await daemon.admin().put('/v1/config', body, { 'if-match': `"${digest}"` });
  expect(answer.status).toBe(200);
};

const checked = (how: 'good' | 'bad') => page.locator(`[data-checked="${how}"]`).waitFor();
const editor = () => page.getByLabel('config text');

/** Pastes the text in force over the editor's, with other words in one place. */
const pasteWith = async (words: string, others: string): Promise<void> => {
  const { text } = await configNow();
  expect(text).toContain(words);
  await editor().click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.evaluate<unknown>(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text.replace(words, others))});
    const paste = { clipboardData, bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', paste));
  }`);
};

describe('given two versions of the config', () => {
  it('shows who brought each and what differs between any two, by its address', async () => {
    await putElsewhere('max_tool_iterations = 6', 'max_tool_iterations = 8');
    await window.go('/policy');
    const diff = page.getByLabel('version 1 to version 2');
    await diff.getByText('+runtime_profiles.short.budgets.max_tool_iterations = 8').waitFor();
    expect(await page.locator('[data-version="1"]').innerText()).toContain(
      'the start of the daemon',
    );
    await page.getByLabel('compare from version 2').check();
    await page.getByLabel('compare to version 1').check();
    await page.getByLabel('version 2 to version 1').waitFor();
    expect(page.url()).toMatch(/from=2&to=1/);
  });

  it('says what is in force for an agent on a path, and why', async () => {
    await window.go('/policy?tab=effective&agent=writer&path=loop');
    await page.getByText('risk_profiles.careful.tools.denied').waitFor();
  });
});

describe('given a draft', () => {
  it('offers what the schema knows, names what is wrong where it stands, and outlives a reload', async () => {
    await window.go('/policy?tab=draft');
    await checked('good');
    await editor().click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('\n[risk_profiles.careful.output]\nmax');
    await page.getByRole('option', { name: 'max_reply_chars' }).click();
    await page.keyboard.type('"x"');
    await checked('bad');
    const problem = page.getByRole('list', { name: 'problems' }).getByRole('button').first();
    expect(await problem.innerText()).toMatch(/line \d+, column 19: .*must be a whole number/);
    expect(await page.locator('.cm-lintRange-error').innerText()).toBe('"x"');
    expect(await page.getByRole('button', { name: 'Apply …' }).isDisabled()).toBe(true);
    await window.go('/turns');
    await window.go('/policy?tab=draft');
    await checked('bad');
    await page.getByRole('button', { name: 'Throw the draft away' }).click();
    await page.getByRole('button', { name: 'Throw it away: sure?' }).click();
    await page.locator('[data-draft="none"]').waitFor();
    await checked('good');
  });

  it('shows what it would have done, with each change and its replay up to the horizon', async () => {
    await window.go('/policy?tab=draft');
    await checked('good');
    await pasteWith('denied = ["file_search"]', 'denied = ["file_search", "file_list"]');
    await page
      .getByLabel('what it changes')
      .getByText('risk_profiles.careful.tools.denied')
      .waitFor();
    await page.getByRole('link', { name: 'Backtest the draft' }).click();
    await page.getByRole('button', { name: 'Run the backtest' }).click();
    await page.locator('[data-backtest="done"]').waitFor();
    expect(await page.locator('[data-figure="newly_refused"] strong').innerText()).toBe('1');
    await page.locator('[data-group="builtin:file_list"]').waitFor();
    const change = page.locator(`[data-of="${looked}"][data-change="newly_refused"]`);
    expect(await change.innerText()).toMatch(/allow[^]*refuse\s+tools\.denied/);
    await change.getByRole('link', { name: 'replay' }).click();
    await page.waitForURL(`**/turns/${looked}/replay?config=draft`);
    await page.locator('[data-outcome="compared"]').getByText('1 newly refused').first().waitFor();
    await page.locator('[data-verdict="beyond_horizon"]', { hasText: 'not judged' }).waitFor();
    await page.getByRole('button', { name: 'Go to the horizon' }).click();
    await page.locator('[data-horizon]:focus').waitFor();
    await page.locator('[data-state="beyond"]').first().waitFor();
  });

  it('is applied over what it began from alone, and brought together with what others changed', async () => {
    await window.go('/policy?tab=draft');
    await checked('good');
    await pasteWith('max_tool_iterations = 8', 'max_tool_iterations = 9');
    await page.getByRole('button', { name: 'Apply …' }).click();
    await page.route('**/v1/config', async (route) => {
      if (route.request().method() === 'PUT')
        await putElsewhere('denied = ["file_search"]', 'denied = ["file_search", "file_edit"]');
      await route.continue();
    });
    await page.getByRole('button', { name: /^Apply as version/ }).click();
    await page.getByRole('alert').filter({ hasText: 'somebody else brought' }).waitFor();
    const both = page.getByRole('region', { name: 'three-way comparison' });
    await both.getByText('brought by local').waitFor();
    await both.getByLabel('what they changed', { exact: true }).getByText('"file_edit"').waitFor();
    await page.unroute('**/v1/config');
    await both.getByRole('button', { name: 'Bring both together' }).click();
    await checked('good');
    await page.getByRole('button', { name: 'Apply …' }).click();
    await page.getByRole('button', { name: /^Apply as version/ }).click();
    await page.locator('[data-applied="true"]').waitFor();
    const { text } = await configNow();
    expect(text).toContain('max_tool_iterations = 9');
    expect(text).toContain('"file_edit"');
  });
});

describe('given who may only look', () => {
  it('shows each role what it may, and says why there is no more', async () => {
    const signInAs = async (roles: readonly string[]): Promise<void> => {
      const { token } = await daemon.issue({ name: `looks-${roles.join('-')}`, roles });
      await window.context.clearCookies();
      await page.goto('/policy');
      await page.getByLabel('Token', { exact: true }).fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await live(page);
    };
    await signInAs(['viewer']);
    await page.getByText('shown to auditors and operators').first().waitFor();
    await page.getByRole('tab', { name: 'Draft' }).click();
    await page.getByText('Your role does not show the config').waitFor();
    await signInAs(['viewer', 'auditor']);
    await page.getByRole('tab', { name: 'Draft' }).click();
    await page.getByText('An operator drafts a change').waitFor();
    expect(await editor().getAttribute('aria-readonly')).toBe('true');
    await window.go(`/turns/${looked}/replay?config=1`);
    await page.getByText('Your role does not replay this').waitFor();
  });
});

describe('given a recorded turn', () => {
  it('is made again from its page, and tried on another path by its address', async () => {
    await window.go(`/turns/${looked}`);
    await page.getByRole('link', { name: 'Replay', exact: true }).click();
    await page.locator('[data-outcome="same"]').waitFor();
    await page.getByLabel('path', { exact: true }).first().click();
    await page.getByRole('option', { name: 'loop' }).click();
    await page.locator('[data-outcome="compared"]').getByText('loop (run)').waitFor();
    expect(page.url()).toContain('path=loop');
    await page.locator('[data-state="differs"] button').first().click();
    await page.getByRole('dialog').getByRole('cell', { name: 'request.origin.kind' }).waitFor();
    await window.go(`/turns/${looked}/replay?path=channel`);
    await page.locator('[data-outcome="not_reachable"]').waitFor();
  });
});

describe('given a cell of the matrix', () => {
  it('is probed on demand, its witnesses apart from live ones, and tries turns of other paths', async () => {
    await window.go('/?agent=writer&cell=tools.denied:loop');
    const drawer = page.getByRole('dialog');
    await drawer
      .getByRole('link', { name: /^replay .* here$/ })
      .first()
      .waitFor();
    await drawer.getByRole('button', { name: 'Probe writer on loop' }).click();
    await drawer.locator('[data-probe="completed"]').waitFor({ timeout: 150_000 });
    const evidence = drawer.locator('[data-evidence="writer.run"]');
    await evidence.getByText('1 turn, in which it decided something').waitFor();
    expect(await evidence.innerText()).toMatch(/live\s+no turn/);
  });
});

describe('given a turn that works on through others', () => {
  it.each([
    ['let it be written', 'approval'],
    ['release it', 'gate'],
  ])('says what it waits for below itself, and how to decide it', async (input, kind) => {
    const turn = await start('lead', input, false);
    await window.go(`/turns/${turn}`);
    await page.locator('h1 ~ [data-status]', { hasText: 'waiting below' }).waitFor();
    await page.locator(`[data-waits="${kind}"]`).getByRole('link', { name: 'decide' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('button', { name: 'Deny (Enter)' }).click();
    await page.locator('[data-outcome="denied"]').waitFor();
    await window.go(`/turns/${turn}`);
    await page.locator('h1 ~ [data-status]', { hasText: 'completed' }).waitFor();
    expect(await page.locator('[data-waits]').count()).toBe(0);
  });
});

describe('given calls that nobody knows the end of', () => {
  it('takes the word of a person for each', async () => {
    await window.go('/approvals?state=unknown');
    const rows = page.locator('[data-unknown]');
    await rows.nth(2).waitFor();
    for (const [left, way] of [
      [2, 'It took effect'],
      [1, 'It did not'],
      [0, 'Let it run again'],
    ] as const) {
      const row = rows.first();
      await row.getByRole('button', { name: way, exact: true }).click();
      await row.getByRole('button', { name: `${way}: sure` }).click();
      await eventually('a call that is settled', async () =>
        (await rows.count()) === left ? true : null,
      );
    }
    await page.getByText('Every call that began has a known end').waitFor();
  });
});

describe.each([
  ['light', 1280],
  ['dark', 390],
] as const)('given the %s theme, %s wide', (theme, width) => {
  it('has no accessibility fault and does not scroll sideways', async () => {
    const narrow = await visit(browser, daemon, served, { theme, width });
    const places: readonly (readonly [path: string, ready: string])[] = [
      ['/policy', '[aria-label="difference"] pre'],
      ['/policy?tab=effective', 'table'],
      ['/policy?tab=draft', '[data-checked="good"]'],
      ['/policy?tab=backtest', 'main h2'],
      [`/turns/${looked}/replay`, '[data-outcome="same"]'],
      [`/turns/${looked}/replay?path=loop`, '[data-outcome="compared"]'],
    ];
    const faults: string[] = [];
    for (const [path, ready] of places) {
      await narrow.go(path);
      await narrow.page.locator(ready).first().waitFor();
      const wide = await narrow.page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > width) faults.push(`${path} is ${wide} wide`);
      faults.push(...(await accessibilityFaults(narrow.page)).map((fault) => `${path} ${fault}`));
    }
    await narrow.context.close();
    expect(faults).toEqual([]);
  });
});
