import type { Metadata } from 'next';
import { PolicyView } from '../../features/policy/PolicyView.tsx';

export const metadata: Metadata = { title: 'Policy' };

const Page = () => <PolicyView />;
export default Page;
