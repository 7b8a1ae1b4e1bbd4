import type { Metadata } from 'next';
import { WorkView } from '../../features/work/WorkView.tsx';

export const metadata: Metadata = { title: 'Work' };

const Page = () => <WorkView />;
export default Page;
