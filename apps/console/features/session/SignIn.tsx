'use client';

import { useEffect, useRef, useState } from 'react';
import { useRouter, useSearchParams } from 'next/navigation';
import { messageOf, signIn } from '../../lib/api.ts';
import { useSession } from '../../lib/session.tsx';
import { Loading } from '../../ui/Notices.tsx';
import { SignedOut } from './SignedOut.tsx';

/** Redeems the link in the address, once, and goes to the matrix. */
export const SignIn = () => {
  const link = useSearchParams().get('link');
  const router = useRouter();
  const { refresh, state } = useSession();
  const [problem, setProblem] = useState<string | null>(null);
  const redeemed = useRef(false);
  useEffect(() => {
    if (link === null || redeemed.current) return;
    redeemed.current = true;
    signIn({ link }).then(
      () => {
        refresh();
        router.replace('/');
      },
      (error: unknown) => {
        setProblem(messageOf(error));
      },
    );
  }, [link, refresh, router]);
  useEffect(() => {
    if ((link === null || problem !== null) && state.kind === 'signed-in') router.replace('/');
  }, [link, problem, router, state.kind]);
  if (link !== null && problem === null) return <Loading what="the sign-in link" />;
  return <SignedOut problem={problem} />;
};
