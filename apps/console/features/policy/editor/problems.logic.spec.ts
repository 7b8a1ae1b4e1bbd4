import { describe, expect, it } from 'vitest';
import { marksOf, offsetIn, placeText, type ConfigProblem } from './problems.logic.ts';

const text = '[agents.a]\nprovider = "local"\n';
const problem = (line: number | null, column: number | null): ConfigProblem => ({
  path: 'agents.a.provider',
  line,
  column,
  message: 'no such provider',
});

describe('given problems of a config text', () => {
  it('marks the word that each names, in the order of the text', () => {
    const marks = marksOf(text, { problems: [problem(2, 12)], warnings: [problem(1, 2)] });
    expect(marks.map(({ from, to, severity }) => [text.slice(from, to), severity])).toEqual([
      ['agents.a', 'warning'],
      ['"local"', 'error'],
    ]);
    expect(marks[1]?.message).toBe('agents.a.provider: no such provider');
  });

  it.each([
    [null, null, 0],
    [1, null, 0],
    [2, 3, 13],
    [2, 400, 29],
    [99, 1, 30],
  ])('stays inside the text for line %s, column %s', (line, column, offset) => {
    expect(offsetIn(text, problem(line, column))).toBe(offset);
  });

  it.each([
    [2, 3, 'line 2, column 3'],
    [2, null, 'line 2'],
    [null, null, 'agents.a.provider'],
  ])('names the place of line %s, column %s', (line, column, said) => {
    expect(placeText(problem(line, column))).toBe(said);
  });
});
