'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import type { FoldedTurn } from '@lockstep/engine';
import { costText, countText, duration, plural, shortId } from '../../lib/format.ts';
import { useNow } from '../../lib/use-now.ts';
import { Id } from '../../ui/Id.tsx';
import { When } from '../../ui/When.tsx';
import { causeOf } from './family.logic.ts';
import styles from './turns.module.css';

type Fact = readonly [name: string, value: ReactNode];

/** A turn in figures: when, where from, below what, under which policy, and what it used. */
export const Facts = ({ turn }: { readonly turn: FoldedTurn }) => {
  const now = useNow();
  const { row } = turn;
  const facts: readonly Fact[] = [
    ['started', <When key="s" at={row.startedAt} />],
    ['took', duration((row.endedAt ?? now) - row.startedAt)],
    ['path', `${row.path} (${row.trigger})`],
    ['started by', <Started key="c" origin={turn.origin} />],
    ['asked by', row.person ?? row.principal],
    ...above(turn),
    ['session', <Id key="e" id={row.session} what="session" />],
    ['config version', String(row.configVersion)],
    [
      'policy',
      row.policyDigest === null ? (
        'none'
      ) : (
        <Id key="p" id={row.policyDigest} what="policy, its digest" />
      ),
    ],
    ['model calls', countText(row.modelCalls)],
    ['allowed / refused / asked', `${row.allowed} / ${row.refused} / ${row.asked}`],
    ['tokens', countText(row.tokens)],
    ['cost', costText(row.cost)],
    ...(turn.children.length === 0
      ? []
      : [['below it', plural(turn.children.length, 'turn')] as const]),
  ];
  return (
    <dl className={`panel ${styles['facts']}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
    </dl>
  );
};

/** The turns above, named as what they are. */
const above = ({ row, chain }: FoldedTurn): readonly Fact[] => {
  const parent = row.parent ?? chain.at(-1) ?? null;
  const root = chain[0] ?? null;
  const to = (id: string): ReactNode => (
    <Link key={id} href={`/turns/${id}`}>
      {shortId(id)}
    </Link>
  );
  return [
    ...(parent === null ? [] : [['parent', to(parent)] as const]),
    ...(root === null || root === parent ? [] : [['root', to(root)] as const]),
  ];
};

const Started = ({ origin }: { readonly origin: FoldedTurn['origin'] }) => {
  if (origin === null) return <span className="dim">not begun</span>;
  const { text, href } = causeOf(origin);
  return href === null ? text : <Link href={href}>{text}</Link>;
};
