import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsMarkdown } from './settings-markdown.ts';

describe('the page of settings', () => {
  it('is what the registry says; write it again with `npm run docs`', () => {
    const page = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8');
    expect(page).toBe(settingsMarkdown());
  });
});
