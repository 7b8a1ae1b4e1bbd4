'use client';

import { useState, type SyntheticEvent } from 'react';
import { Button, PasswordInput } from '@mantine/core';
import { messageOf, signIn } from '../../lib/api.ts';
import { useSession } from '../../lib/session.tsx';
import { Command } from '../../ui/Command.tsx';
import { Empty } from '../../ui/Notices.tsx';

/** How to get in: a link from the terminal, or a token. */
export const SignedOut = ({ problem = null }: { readonly problem?: string | null }) => (
  <div className="page">
    <Empty
      as="h1"
      title={problem === null ? 'You are not signed in' : 'This link does not sign you in'}
    >
      {problem === null ? null : <p role="alert">{problem}</p>}
      <p>
        The terminal in which <code>npx lockstep up</code> runs shows a sign-in link; open it in
        this browser. It works once, within ten minutes. A daemon that was started anew asks for a
        new sign-in.
      </p>
      <p>Or sign in with a token. The local one is printed by:</p>
      <Command line="npx lockstep token local" />
      <TokenForm />
    </Empty>
  </div>
);

const TokenForm = () => {
  const { refresh } = useSession();
  const [token, setToken] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    try {
      await signIn({ token: token.trim() });
      setError(null);
      refresh();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <form
      onSubmit={(event) => void submit(event)}
      style={{ display: 'flex', gap: '0.5rem', alignItems: 'flex-end', marginTop: '1rem' }}
    >
      <PasswordInput
        label="Token"
        autoComplete="off"
        style={{ flex: '1 1 20rem' }}
        value={token}
        error={error}
        visibilityToggleButtonProps={{ 'aria-label': 'show the token' }}
        onChange={(event) => {
          setToken(event.currentTarget.value);
        }}
      />
      <Button type="submit" disabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  );
};
