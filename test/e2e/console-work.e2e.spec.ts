import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { workConfig, workScript } from '../support/console-work-team.ts';
import { visit, type Visit } from '../support/console-visit.ts';
import { openBrowser, runConsole, type RunningConsole } from '../support/running-console.ts';
import { runDaemon, type Caller, type RunningDaemon } from '../support/running-daemon.ts';

vi.setConfig({ testTimeout: 120_000 });

let daemon: RunningDaemon;
let served: RunningConsole;
let browser: Browser;
let window: Visit;
let page: Page;
let ana: Caller;

beforeAll(async () => {
  vi.stubEnv('CONSOLE_DESK_SECRET', 'a long secret of the desk, for the console');
  daemon = await runDaemon(workConfig, workScript);
  served = await runConsole(daemon.url());
  browser = await openBrowser();
  ana = await daemon.issue({ name: 'ana', roles: ['operator', 'approver'] });
}, 120_000);

afterAll(async () => {
  await browser.close();
  await daemon.stop();
  await served.stop();
  await daemon.remove();
  vi.unstubAllEnvs();
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

const startAs = async (caller: Caller, agent: string, input: string): Promise<Started> => {
  const answer = await caller.post(`/v1/agents/${agent}/turns`, { input, wait: true });
  return answer.body as Started;
};
const start = (agent: string, input: string): Promise<Started> =>
  startAs(daemon.admin(), agent, input);

const replyOf = async (turn: string): Promise<string | null> => {
  const answer = await daemon.admin().get(`/v1/turns/${turn}`);
  return (answer.body as { readonly answer: Started }).answer.reply;
};

const requestOf = (turn: Started): string => turn.approvals[0] ?? 'none';
const outcome = (state: string) => page.locator(`[data-outcome="${state}"]`).waitFor();

const statusShown = async (turn: string, status: string): Promise<void> => {
  await window.go(`/turns/${turn}`);
  await page.locator('h1 ~ [data-status]', { hasText: status }).waitFor();
};

/** Decides a request from elsewhere, as the inbox shows it. */
const yesOf = async (caller: Caller, id: string) => {
  const inbox = await daemon.admin().get('/v1/approvals?limit=500');
  const rows = inbox.body as { readonly items: readonly Readonly<Record<string, unknown>>[] };
  const row = rows.items.find((one) => one['id'] === id);
  const { revision, shown } = row ?? {};
  return caller.post(`/v1/approvals/${id}/decision`, { choice: 'once', revision, shown });
};

describe('given a turn that starts others', () => {
  it('shows them where they were started, each with its own steps, and the way up again', async () => {
    const turn = await start('lead', 'share the work');
    await window.go(`/turns/${turn.id}`);
    const children = page.locator('[data-child]');
    await children.nth(1).waitFor();
    expect(await children.count()).toBe(2);
    const helper = page.locator('[data-child]', { hasText: 'helper' });
    await helper.getByText('delegate (bounded)').waitFor();
    await helper.getByText('completed').first().waitFor();
    await helper.getByRole('button', { name: 'steps of the turn of helper' }).click();
    await helper.getByText('started time_now').click();
    await page.getByRole('dialog').getByText('ToolCallStarted').first().waitFor();
    expect(page.url()).toMatch(/event=.*&of=/);
    await page.keyboard.press('Escape');
    await helper.getByRole('link', { name: 'open the turn' }).click();
    await page.getByRole('link', { name: 'another agent, by delegation' }).click();
    await page.waitForURL(`**/turns/${turn.id}`);
  });
});

describe('given a call that two people must allow', () => {
  it('counts each yes, says who gave it, and runs after the last', async () => {
    const turn = await start('pair', 'write the note');
    const id = requestOf(turn);
    await window.go(`/approvals?id=${id}`);
    await page.locator('[data-votes="0"]').waitFor();
    expect(await page.getByRole('button', { name: 'Edit and approve' }).count()).toBe(0);
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.locator('[data-votes="1"]', { hasText: '1 of 2: root (console)' }).waitFor();
    await page.getByText('You said yes already').waitFor();
    expect((await yesOf(ana, id)).status).toBe(200);
    await outcome('granted');
    await statusShown(turn.id, 'completed');
  });
});

describe('given a call that whoever asked may not allow', () => {
  it('says so to them, and takes the yes of somebody else', async () => {
    const own = await start('other', 'write the note');
    await window.go(`/approvals?id=${requestOf(own)}`);
    await page.getByText('You asked for this work').waitFor();
    await page.keyboard.press('a');
    expect(await page.getByRole('button', { name: 'Approve (Enter)' }).count()).toBe(0);
    const hers = await startAs(ana, 'other', 'write the note');
    await window.go(`/approvals?id=${requestOf(hers)}`);
    await page.getByText('but not ana, who asked for the work').waitFor();
    await page.getByRole('button', { name: 'Approve once' }).click();
    await page.getByRole('button', { name: 'Approve (Enter)' }).click();
    await outcome('granted');
  });
});

describe('given arguments that a person changes', () => {
  it('runs with them, and says what the daemon finds wrong before', async () => {
    const turn = await start('writer', 'write the note');
    await window.go(`/approvals?id=${requestOf(turn)}`);
    await page.getByRole('button', { name: 'Edit and approve' }).click();
    const editor = page.getByLabel('Arguments (JSON)');
    await page.locator('textarea', { hasText: 'note.md' }).waitFor();
    const approve = page.getByRole('button', { name: 'Approve as edited' });
    await editor.fill('{"path":');
    expect(await approve.isDisabled()).toBe(true);
    await editor.fill('{"path": 5}');
    await approve.click();
    await page
      .getByRole('alert')
      .filter({ hasText: /path|content/ })
      .waitFor();
    await editor.fill('{"path": "other.md", "content": "two"}');
    await page.getByLabel('what the edit changes').getByText('"other.md"').waitFor();
    await page.keyboard.press('Control+Enter');
    await outcome('granted');
    await statusShown(turn.id, 'completed');
    expect(await replyOf(turn.id)).toContain('other.md');
  });
});

describe('given a standing approval by fields, for anyone', () => {
  it('stands among those of all agents as it was chosen, until it is revoked', async () => {
    const turn = await start('writer', 'write the note');
    await window.go(`/approvals?id=${requestOf(turn)}`);
    await page.getByRole('button', { name: 'Always' }).click();
    await page.getByLabel('some arguments held').check();
    expect(await page.getByRole('button', { name: 'Approve (Enter)' }).isDisabled()).toBe(true);
    await page.getByLabel('hold /path').check();
    await page.getByLabel(/^for anyone, not only/).check();
    await page.getByRole('button', { name: 'Approve for anyone (Enter)' }).click();
    await outcome('granted');
    await window.go('/approvals?state=grants');
    const row = page.getByRole('row', { name: 'builtin:file_write' });
    expect(await row.innerText()).toMatch(/writer[^]*anyone[^]*\/path = "note\.md"/);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No grant stands').waitFor();
  });
});

describe('given a procedure with a gate', () => {
  it('waits in the inbox, goes on by a yes, and shows each step with its turns', async () => {
    const begun = await daemon.admin().post('/v1/sops/release/runs', { input: 'version 2' });
    const run = (begun.body as { readonly id: string }).id;
    await window.go(`/work?tab=procedures&run=${run}`);
    await page.locator(`[data-run="${run}"] [data-step="check"][data-state="gate"]`).waitFor();
    await page.getByRole('link', { name: 'gate', exact: true }).click();
    await page.getByRole('heading', { name: 'gate before check' }).waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await outcome('granted');
    await page.getByRole('link', { name: 'See the run' }).click();
    const panel = page.locator(`[data-run="${run}"]`);
    await panel.locator('[data-run-status]', { hasText: 'completed' }).waitFor();
    await panel.locator('[data-step="draft"] a[href^="/turns/"]').click();
    await page.getByRole('link', { name: 'step draft of a procedure' }).click();
    await page.waitForURL(`**/work?tab=procedures&run=${run}`);
  });
});

describe('given jobs and channels', () => {
  it('runs a job now and shows what became of it', async () => {
    await window.go('/work?tab=jobs');
    const job = page.locator('[data-job="nightly"]');
    expect(await job.innerText()).toMatch(/0 3 \* \* \*[^]*in \d+ [hms]/);
    await job.getByRole('button', { name: 'Run now' }).click();
    await job.getByText('completed').waitFor();
    await job.getByRole('link', { name: 'turn', exact: true }).click();
    await page.getByRole('link', { name: 'job nightly' }).waitFor();
  });

  it('shows each channel with whom it leads to and how it stands', async () => {
    await window.go('/work');
    const channel = page.locator('[data-channel="webhook.desk"]');
    await channel.getByRole('link', { name: 'lead' }).waitFor();
    await channel.getByText('running').waitFor();
  });
});

describe('given an emergency', () => {
  const banner = () => page.locator('[data-stopped]');

  it('stops everything with a reason, says so on every page, and goes on when a person resumes', async () => {
    await window.go('/turns');
    await page.getByRole('button', { name: 'emergency stop' }).click();
    await page.getByLabel('Why (stands in the trail)').fill('the notes are leaking');
    await page.getByRole('button', { name: 'Stop everything now' }).click();
    await banner().getByText('the notes are leaking').waitFor();
    for (const path of ['/', '/agents/lead', '/work']) {
      await window.go(path);
      await banner().getByText('Every agent is stopped').waitFor();
    }
    expect(await page.getByRole('button', { name: 'emergency stop' }).count()).toBe(0);
    const refused = await daemon.admin().post('/v1/agents/helper/turns', { input: 'draft' });
    expect(refused.status).toBe(503);
    await banner().getByRole('button', { name: 'Resume all' }).click();
    await banner().getByRole('button', { name: 'Resume: sure?' }).click();
    await banner().waitFor({ state: 'detached' });
    expect((await start('helper', 'draft')).status).toBe('completed');
  });

  it('stops one agent from its page, and leaves the others at work', async () => {
    await window.go('/agents/helper');
    await page.getByRole('button', { name: 'stop helper' }).click();
    await page.getByRole('button', { name: 'Stop helper now' }).click();
    await banner().getByText('helper is stopped').waitFor();
    expect((await start('lead', 'nothing')).status).toBe('completed');
    await banner().getByRole('button', { name: 'Resume helper' }).click();
    await banner().getByRole('button', { name: 'Resume: sure?' }).click();
    await banner().waitFor({ state: 'detached' });
  });
});
