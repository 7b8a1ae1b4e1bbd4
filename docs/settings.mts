import { writeFileSync } from 'node:fs';
import { settingsMarkdown } from '../libs/policy/src/explain/settings-markdown.ts';

writeFileSync(new URL('settings.md', import.meta.url), settingsMarkdown());
