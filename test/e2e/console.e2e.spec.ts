import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
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

interface Started {
  readonly id: string;
  readonly status: string;
  readonly reply: string | null;
  readonly approvals: readonly string[];
}

const start = async (agent: string, input: string): Promise<Started> => {
  const answer = await daemon.admin().post(`/v1/agents/${agent}/turns`, { input, wait: true });
  return answer.body as Started;
};

const replyOf = async (turn: string): Promise<string | null> => {
  const answer = await daemon.admin().get(`/v1/turns/${turn}`);
  return (answer.body as { readonly answer: Started }).answer.reply;
};

/** The one request that a parked turn waits for. */
const requestOf = (turn: Started): string => turn.approvals[0] ?? 'none';

const statusShown = async (turn: string, status: string): Promise<void> => {
  await window.go(`/turns/${turn}`);
  await page.locator(`[data-status]`, { hasText: status }).waitFor();
};

const outcome = (state: string) => page.locator(`[data-outcome="${state}"]`).waitFor();

describe('given the matrix', () => {
  it('shows a cell change within a second of the turn that changed it', async () => {
    const cell = page.locator('[data-cell="tools.denied:gateway"]');
    expect(await cell.getAttribute('data-state')).toBe('unobserved');
    await page.getByLabel('agent', { exact: true }).first().click();
    await page.getByRole('option', { name: 'writer' }).click();
    await page.waitForURL('**/?agent=writer');
    await page.locator('[data-path="gateway"] button').click();
    const rest = page.locator('[data-cell="tools.denied:gateway.rest"]');
    await rest.and(page.locator('[data-state="unobserved"]')).waitFor();
    await start('writer', 'search');
    await rest.and(page.locator('[data-state="enforced"]')).waitFor();
    // The path as a whole waits for its other triggers.
    expect(await cell.getAttribute('data-state')).toBe('unobserved');
  });

  it('opens a cell by its address, with the events that prove it and the way to their turn', async () => {
    const turn = await start('writer', 'search');
    await window.go('/?agent=writer&cell=tools.denied:gateway');
    const drawer = page.getByRole('dialog');
    await drawer.getByText('witness').first().waitFor();
    await drawer.locator(`a[href^="/turns/${turn.id}?event="]`).first().click();
    await page.waitForURL(`**/turns/${turn.id}?event=*`);
  });

  it('is one tab stop in which arrows move and Enter opens', async () => {
    const first = page.locator('[data-place="0:0"]');
    await first.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.locator('[data-place="1:1"]:focus').waitFor();
    expect(await page.locator('[data-place][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('tools.denied on rpc').waitFor();
  });
});

describe('given a turn that waits for an approval', () => {
  it('completes once a person approves it in the inbox', async () => {
    const turn = await start('writer', 'write the note');
    await window.go('/approvals');
    await page.locator(`[data-request="${requestOf(turn)}"] a`).click();
    await page.getByRole('button', { name: 'Approve once' }).click();
    await page.getByRole('button', { name: 'Approve (Enter)' }).click();
    await outcome('granted');
    await statusShown(turn.id, 'completed');
    expect(await replyOf(turn.id)).toContain('Result: ');
  });

  it('goes on with the guidance of a person who denies it', async () => {
    const turn = await start('writer', 'write the note');
    await window.go(`/approvals?id=${requestOf(turn)}`);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByLabel('Guidance for the agent').fill('keep the old note');
    await page.getByRole('button', { name: 'Deny (Enter)' }).click();
    await outcome('denied');
    await statusShown(turn.id, 'completed');
    expect(await replyOf(turn.id)).toContain('keep the old note');
  });

  it('is decided by keys alone, and a request that slides in is left alone', async () => {
    const turn = await start('writer', 'write the note');
    await window.go('/approvals');
    const id = requestOf(turn);
    await page.locator(`[data-request="${id}"] a[aria-current]`).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Approve (Enter)' }).waitFor();
    const late = await start('writer', 'write the note');
    await page.locator(`[data-request="${requestOf(late)}"]`).waitFor();
    await page.keyboard.press('Enter');
    await page.locator(`[data-request="${id}"][data-state="granted"]`).waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    expect(
      await page.locator(`[data-request="${requestOf(late)}"]`).getAttribute('data-state'),
    ).toBe('pending');
    await page.keyboard.press('j');
    await page.locator(`[data-request="${requestOf(late)}"] a[aria-current]`).waitFor();
    await page.keyboard.press('d');
    await page.getByLabel('Guidance for the agent').waitFor();
    await page.keyboard.press('Enter');
    await page.locator(`[data-request="${requestOf(late)}"][data-state="denied"]`).waitFor();
  });

  it('says who was faster when somebody else decided before', async () => {
    const turn = await start('writer', 'write the note');
    const id = requestOf(turn);
    const other = await daemon.issue({
      name: `fast-${id.slice(-6)}`,
      roles: ['viewer', 'approver'],
    });
    await window.go(`/approvals?id=${id}`);
    await page.route('**/decision', async (route) => {
      const { revision, shown } = route.request().postDataJSON() as Record<string, unknown>;
      await other.post(`/v1/approvals/${id}/decision`, { choice: 'once', revision, shown });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('button', { name: 'Deny (Enter)' }).click();
    await outcome('granted');
    await page.getByRole('alert').filter({ hasText: 'decided before you' }).waitFor();
    const said = await page.getByRole('region', { name: 'request', exact: true }).innerText();
    expect(said).toMatch(/token …\w{8} \(rest\) decided before you: granted: once, now/);
    expect(said).toMatch(/granted by token …\w{8} \(rest\) now/);
  });

  it('becomes a grant by Always, which stands at the agent until it is revoked', async () => {
    const turn = await start('writer', 'write the note');
    await window.go(`/approvals?id=${requestOf(turn)}`);
    await page.getByRole('button', { name: 'Always' }).click();
    await page.getByLabel('all of writer').check();
    await page.getByLabel('any arguments').check();
    await page.getByRole('button', { name: 'Approve (Enter)' }).click();
    await outcome('granted');
    expect((await start('writer', 'write the note')).status).toBe('completed');
    await window.go('/agents/writer?tab=grants');
    await page.getByRole('cell', { name: 'builtin:file_write' }).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No grant stands').waitFor();
    const asked = await start('writer', 'write the note');
    expect(asked.status).toBe('waiting');
    await daemon.admin().post(`/v1/turns/${asked.id}/cancel`);
  });

  it('shows hostile text inert', async () => {
    const turn = await start('writer', 'hostile');
    await window.go(`/approvals?id=${requestOf(turn)}`);
    const view = page.getByRole('region', { name: 'what is asked' });
    const text = await view.innerText();
    expect(text).toContain('<img src=x onerror=');
    expect(text).toContain('⟨U+202E⟩');
    expect(text).toContain('</pre><script>');
    expect(text).not.toContain('\u202E');
    await window.go(`/turns/${turn.id}`);
    await page.getByRole('list', { name: 'timeline' }).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).toBe('Turn · Lockstep');
    await daemon.admin().post(`/v1/turns/${turn.id}/cancel`);
  });
});

describe('given a question of an agent', () => {
  it('takes one of its choices for an answer', async () => {
    const turn = await start('writer', 'ask me');
    await window.go(`/approvals?id=${requestOf(turn)}`);
    await page.getByText('Which note matters most?').first().waitFor();
    await page.getByRole('button', { name: 'budget' }).click();
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await outcome('answered');
    await statusShown(turn.id, 'completed');
    expect(await replyOf(turn.id)).toBe('You chose: budget');
  });
});

describe('given a turn with a refused call', () => {
  it('names the rule and the pattern, and opens the event as JSON to search in', async () => {
    const turn = await start('writer', 'search');
    await window.go(`/turns/${turn.id}`);
    const step = page.locator('[data-type="ToolCallRefused"] button');
    expect(await step.innerText()).toContain('tools.denied');
    expect(await step.innerText()).toContain('builtin:file_search');
    await step.click();
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('search in JSON of ToolCallRefused').fill('"rule"');
    await drawer.getByText('1 line').waitFor();
    expect(page.url()).toContain('event=');
  });

  it('stands in the trail of its agent under every filter that fits it', async () => {
    const turn = await start('writer', 'search');
    await window.go('/agents/writer?tab=trail&verdict=refuse&rule=tools.denied&tool=file_search');
    await page.locator(`[data-type="ToolCallRefused"] a[href*="${turn.id}"]`).waitFor();
    const again = await start('writer', 'search');
    await page.locator(`[data-type="ToolCallRefused"] a[href*="${again.id}"]`).waitFor();
    expect(await page.locator('[data-type="TurnCompleted"]').count()).toBe(0);
  });
});

describe('given the list of turns', () => {
  it('holds new rows back while the pointer is on it, and shows them when it leaves', async () => {
    await start('reader', 'look around');
    await window.go('/turns?agent=reader');
    await page.locator('[data-turn]').first().hover();
    const late = await start('reader', 'look around');
    await page.getByRole('button', { name: 'Show 1 new turn' }).waitFor();
    expect(await page.locator(`[data-turn="${late.id}"]`).count()).toBe(0);
    await page.mouse.move(5, 5);
    await page.locator(`[data-turn="${late.id}"]`).waitFor();
  });
});

describe('given an agent', () => {
  it('shows its policy with where each value comes from, and pauses and resumes', async () => {
    await window.go('/agents/reader?path=gateway');
    await page.getByText('risk_profiles.narrow.autonomy').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('why it is paused').fill('a look first');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('a person paused it').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('it takes work').waitFor();
  });
});
