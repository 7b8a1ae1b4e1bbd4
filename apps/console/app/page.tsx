import type { Metadata } from 'next';
import { ParityView } from '../features/parity/ParityView.tsx';

export const metadata: Metadata = { title: { absolute: 'Parity · Lockstep' } };

const Page = () => <ParityView />;
export default Page;
