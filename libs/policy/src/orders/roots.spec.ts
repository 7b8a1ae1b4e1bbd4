import { describe, expect, it } from 'vitest';
import { nowhere, ownRoot } from './own.ts';
import { roots } from './roots.ts';

describe('the meet of folders', () => {
  it('takes the deeper of each nested pair', () => {
    expect(roots.meet(['/w', '/x/y'], ['/w/a', '/x', '/z'])).toEqual(['/w/a', '/x/y']);
  });

  it('has nothing where no pair is nested', () => {
    expect(roots.meet(['/w/ab'], ['/w/a'])).toEqual([]);
  });

  it('leaves a folder out that lies below another of its list', () => {
    expect(roots.normal(['/w/a', '/w', '/w'])).toEqual(['/w']);
  });
});

describe("the meet of an agent's own root", () => {
  it('is the folder inside, and nowhere for two folders apart', () => {
    expect(ownRoot.meet('/w', '/w/a')).toBe('/w/a');
    expect(ownRoot.meet('/w', '/x')).toBe(nowhere);
  });

  it('admits a request for a folder inside it alone', () => {
    expect(ownRoot.within('/w/a', '/w')).toBe(true);
    expect(ownRoot.within('/', '/w')).toBe(false);
    expect(ownRoot.within('/wa', '/w')).toBe(false);
  });
});
