import { expect, it } from 'vitest';
import type { ToolSpec } from '../events/parts.ts';
import { sampleTool } from '../testing/index.ts';
import { operandPointers } from './operand-pointers.ts';

const at = (...places: readonly string[]): ToolSpec => ({
  ...sampleTool('file_read'),
  operands: places.map((place) => ({ kind: 'path', at: place, access: 'read' })),
});

const found = (spec: ToolSpec, args: unknown): readonly unknown[] => {
  const pointed = operandPointers(spec, args);
  return [pointed.found.map((one) => one.given), pointed.wrong];
};

it.each<[string, ToolSpec, unknown, readonly unknown[]]>([
  ['a value', at('/path'), { path: 'a' }, [['a'], []]],
  ['a value further in', at('/from/path'), { from: { path: 'a' } }, [['a'], []]],
  ['several values', at('/from', '/to'), { from: 'a', to: 'b' }, [['a', 'b'], []]],
  ['each item', at('/paths/*'), { paths: ['a', 'b'] }, [['a', 'b'], []]],
  [
    'a place in each item',
    at('/files/*/path'),
    { files: [{ path: 'a' }, { path: 'b' }] },
    [['a', 'b'], []],
  ],
  ['each value of an object', at('/files/*'), { files: { x: 'a', y: 'b' } }, [['a', 'b'], []]],
  ['one item', at('/paths/1'), { paths: ['a', 'b'] }, [['b'], []]],
  ['an escaped name', at('/a~1b~0c'), { 'a/b~c': 'x' }, [['x'], []]],
  ['a place that is left out', at('/path'), {}, [[], []]],
  ['an item place that is left out', at('/files/*/path'), { files: [{}] }, [[], []]],
  ['a number', at('/path'), { path: 1 }, [[], ['/path']]],
  ['null', at('/path'), { path: null }, [[], ['/path']]],
  ['a list where text belongs', at('/path'), { path: ['a'] }, [[], ['/path']]],
  ['text where a list belongs', at('/paths/*'), { paths: 'a' }, [[], ['/paths/*']]],
  ['a list where an object belongs', at('/from/path'), { from: ['a'] }, [[], ['/from/path']]],
  ['one wrong item', at('/paths/*'), { paths: ['a', 1] }, [['a'], ['/paths/*']]],
  ['arguments that are no object', at('/path'), 'a', [[], ['/path']]],
  ['an inherited name', at('/constructor'), {}, [[], []]],
  ['undeclared operands', { ...at(), operands: 'undeclared' }, { path: 'a' }, [[], []]],
  ['no operands', { ...at(), operands: 'none' }, { path: 'a' }, [[], []]],
])('looks at %s', (_what, spec, args, expected) => {
  expect(found(spec, args)).toEqual(expected);
});
