'use client';

import Link from 'next/link';
import { age } from '../../lib/format.ts';
import { withQuery } from '../../lib/query.ts';
import { useNow } from '../../lib/use-now.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Deadline } from './Deadline.tsx';
import { deciderText, type Request } from './approvals.logic.ts';
import styles from './approvals.module.css';

/** Requests in the order in which they came. */
export const RequestList = ({
  rows,
  selected,
  state,
  onSelect,
}: {
  readonly rows: readonly Request[];
  readonly selected: string | null;
  readonly state: string | null;
  readonly onSelect: (id: string) => void;
}) => {
  const now = useNow();
  return (
    <nav className="panel" aria-label="requests">
      <ul className={styles['requests']}>
        {rows.map((row) => (
          <li key={row.id} data-request={row.id} data-state={row.state}>
            <Link
              className={styles['request']}
              href={withQuery('/approvals', { state, id: row.id })}
              prefetch={false}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                onSelect(row.id);
              }}
              aria-current={row.id === selected ? 'true' : undefined}
            >
              <span className={styles['line']}>
                <strong className="mono cut">
                  {row.kind === 'gate' ? `gate ${row.call}` : (row.tool ?? 'question')}
                </strong>
                <span className="dim" title="waiting for">
                  {age(now - row.askedAt)}
                </span>
              </span>
              <span className={styles['line']}>
                <span className="cut">
                  {row.agent} <span className="dim">for {row.person ?? row.principal}</span>
                </span>
                {row.state === 'pending' ? (
                  <Deadline at={row.deadline} />
                ) : (
                  <span className={styles['decided']}>{row.state}</span>
                )}
              </span>
              {row.state === 'pending' && row.votes !== null ? (
                <span className={styles['decided']}>
                  {row.votes.by.length} of {row.votes.required} votes
                </span>
              ) : null}
              {row.state === 'pending' || row.decidedBy === null ? null : (
                <span className={styles['decided']}>by {deciderText(row.decidedBy)}</span>
              )}
              {row.kind === 'question' && row.view !== null ? (
                <span className="cut" style={{ display: 'block' }}>
                  <Foreign>{row.view}</Foreign>
                </span>
              ) : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
};
