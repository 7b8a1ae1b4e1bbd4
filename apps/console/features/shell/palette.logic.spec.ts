import { expect, it } from 'vitest';
import { placesFor, type Place } from './palette.logic.ts';

const places: readonly Place[] = [
  { href: '/turns', name: 'Turns', kind: 'page' },
  { href: '/agents/researcher', name: 'researcher', kind: 'agent' },
  { href: '/turns/t-1', name: 'researcher: search the notes', kind: 'turn' },
  { href: '/agents/searcher', name: 'searcher', kind: 'agent' },
];

it('shows all places for no words', () => {
  expect(placesFor('', places)).toEqual(places);
});

it('shows those that begin with the words first', () => {
  expect(placesFor('search', places).map(({ href }) => href)).toEqual([
    '/agents/searcher',
    '/agents/researcher',
    '/turns/t-1',
  ]);
});

it('wants every word, and takes the kind for one', () => {
  expect(placesFor('turn notes', places).map(({ href }) => href)).toEqual(['/turns/t-1']);
});

it('takes a whole id for a turn that is not listed', () => {
  const id = '01a22d7e-1152-7002-938c-af371d4fe990';
  expect(placesFor(id, places)).toEqual([{ href: `/turns/${id}`, name: id, kind: 'turn' }]);
});
