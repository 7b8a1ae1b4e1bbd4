'use client';

import type { ReactNode } from 'react';
import { Alert, Button } from '@mantine/core';
import styles from './ui.module.css';

/** Why there is nothing here, and what to do about it. */
export const Empty = ({
  title,
  as: Heading = 'h2',
  children,
}: {
  readonly title: string;
  /** `h1` where nothing else on the page is its heading. */
  readonly as?: 'h1' | 'h2';
  readonly children?: ReactNode;
}) => (
  <div className={styles['empty']}>
    <Heading>{title}</Heading>
    {children}
  </div>
);

export const Failed = ({
  message,
  retry,
}: {
  readonly message: string;
  readonly retry: () => void;
}) => (
  <Alert color="red" variant="outline" title="This could not be read" role="alert">
    <p style={{ margin: '0 0 0.5rem' }}>{message}</p>
    <Button size="compact-sm" variant="default" onClick={retry}>
      Read again
    </Button>
  </Alert>
);

export const Loading = ({ what }: { readonly what: string }) => (
  <p className="dim" role="status" style={{ padding: '1rem' }}>
    Reading {what} …
  </p>
);
