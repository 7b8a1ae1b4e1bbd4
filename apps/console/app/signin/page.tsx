import type { Metadata } from 'next';
import { SignIn } from '../../features/session/SignIn.tsx';

export const metadata: Metadata = { title: 'Sign in' };

const Page = () => <SignIn />;
export default Page;
