'use client';

import { useEffect, useMemo, useState, type KeyboardEvent } from 'react';
import { useRouter } from 'next/navigation';
import { TextInput } from '@mantine/core';
import type { TurnRow } from '@lockstep/engine';
import { getJson } from '../../lib/api.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Dialog } from '../../ui/Sheet.tsx';
import { pages } from './pages.ts';
import { placesFor, type Place } from './palette.logic.ts';
import styles from './shell.module.css';

const pagePlaces: readonly Place[] = pages.map(({ href, name }) => ({ href, name, kind: 'page' }));

export const Palette = ({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) => (
  <Dialog opened={opened} onClose={onClose} title="Go to">
    <Places onClose={onClose} />
  </Dialog>
);

const Places = ({ onClose }: { readonly onClose: () => void }) => {
  const router = useRouter();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const known = useKnownPlaces();
  const shown = useMemo(() => placesFor(words, [...pagePlaces, ...known]), [words, known]);
  const go = (place: Place | undefined): void => {
    if (place === undefined) return;
    onClose();
    router.push(place.href);
  };
  const onKey = (event: KeyboardEvent): void => {
    const last = shown.length - 1;
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, last));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') go(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="places"
        aria-activedescendant={shown[at] === undefined ? undefined : `place-${at}`}
        aria-label="page, agent, turn or id"
        placeholder="page, agent, turn or id"
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="places" role="listbox" aria-label="places" className={styles['options']}>
        {shown.map((place, index) => (
          <li
            key={place.href}
            id={`place-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => {
              go(place);
            }}
          >
            <Foreign className="cut">{place.name}</Foreign>
            <span className="dim">{place.kind}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? <p className="dim">Nothing of that name.</p> : null}
    </>
  );
};

/** Agents and the newest turns, read when the palette opens. */
const useKnownPlaces = (): readonly Place[] => {
  const [places, setPlaces] = useState<readonly Place[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    void readPlaces(stop.signal).then((read) => {
      if (!stop.signal.aborted) setPlaces(read);
    });
    return () => {
      stop.abort();
    };
  }, []);
  return places;
};

const readPlaces = async (signal: AbortSignal): Promise<readonly Place[]> => {
  try {
    const [agents, turns] = await Promise.all([
      getJson<{ items: readonly { alias: string }[] }>('/v1/agents', signal),
      getJson<{ items: readonly TurnRow[] }>('/v1/turns?limit=100', signal),
    ]);
    return [
      ...agents.items.map(({ alias }): Place => ({
        href: `/agents/${alias}`,
        name: alias,
        kind: 'agent',
      })),
      ...turns.items.map(({ id, agent, input }): Place => ({
        href: `/turns/${id}`,
        name: `${agent}: ${input.slice(0, 80)}`,
        kind: 'turn',
      })),
    ];
  } catch {
    return [];
  }
};
