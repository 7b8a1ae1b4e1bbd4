import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { RunningConsole } from './running-console.ts';
import type { RunningDaemon } from './running-daemon.ts';

/** A signed-in browser window, with what it asked for elsewhere and what its console complained about. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to any other host, and complaints about the content security policy or uncaught errors. */
  readonly complaints: readonly string[];
  readonly go: (path: string) => Promise<void>;
}

/** Opens a window and signs it in by a fresh link. */
export const visit = async (
  browser: Browser,
  daemon: RunningDaemon,
  served: RunningConsole,
  options: { readonly theme?: 'light' | 'dark'; readonly width?: number } = {},
): Promise<Visit> => {
  const context = await browser.newContext({
    baseURL: served.url,
    colorScheme: options.theme ?? 'light',
    reducedMotion: 'reduce',
    viewport: { width: options.width ?? 1280, height: 800 },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== served.url && protocol !== 'data:')
      complaints.push(`asked for ${request.url()}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text());
  });
  const go = async (path: string): Promise<void> => {
    await page.goto(path);
    await live(page);
  };
  await signIn(page, daemon);
  return { page, context, complaints, go };
};

/** Signs a window in by a link, as the terminal shows it. */
export const signIn = async (page: Page, daemon: RunningDaemon): Promise<void> => {
  await page.goto(`/signin?link=${daemon.daemon().signInLink()}`);
  await live(page);
};

/** Waits until the window follows the log. */
export const live = (page: Page): Promise<void> =>
  page.locator('[data-connection="live"]').waitFor();
