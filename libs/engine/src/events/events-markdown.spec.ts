import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsMarkdown } from './events-markdown.ts';

describe('the page of events', () => {
  it('is what the schemas say; write it again with `npm run docs`', () => {
    const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
    expect(page).toBe(eventsMarkdown());
  });
});
