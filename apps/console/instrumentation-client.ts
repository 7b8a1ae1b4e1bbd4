import { z } from 'zod';

// The content security policy forbids compiling code from text, which zod else tries for speed.
z.config({ jitless: true });
