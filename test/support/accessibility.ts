import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds wrong with a page as it stands, in the light theme and in the dark one: there, only what colours can be at fault for.
 * The page follows the theme of the system. */
export const faultsInBothThemes = async (page: Page): Promise<readonly string[]> => {
  const light = await accessibilityFaults(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  const dark = await accessibilityFaults(page, ['color-contrast', 'link-in-text-block']);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html[data-mantine-color-scheme="light"]').waitFor();
  return [...light, ...dark.map((fault) => `dark ${fault}`)];
};

/** What axe finds wrong with a page as it stands, one line each. */
export const accessibilityFaults = async (
  page: Page,
  rules?: readonly string[],
): Promise<readonly string[]> => {
  await page.evaluate(axeSource);
  const options = {
    resultTypes: ['violations'],
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then((r) => r.violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
};
