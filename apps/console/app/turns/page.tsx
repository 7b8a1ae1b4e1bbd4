import type { Metadata } from 'next';
import { TurnsView } from '../../features/turns/TurnsView.tsx';

export const metadata: Metadata = { title: 'Turns' };

const Page = () => <TurnsView />;
export default Page;
