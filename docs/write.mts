// `npm run docs`: writes the pages that are made from code. Specs hold the pages to it.
import { writeFileSync } from 'node:fs';
import { eventsMarkdown } from '../libs/engine/src/events/events-markdown.ts';
import { settingsMarkdown } from '../libs/policy/src/explain/settings-markdown.ts';

writeFileSync(new URL('settings.md', import.meta.url), settingsMarkdown());
writeFileSync(new URL('events.md', import.meta.url), eventsMarkdown());
