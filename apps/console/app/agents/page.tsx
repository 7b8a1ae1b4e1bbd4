import type { Metadata } from 'next';
import { AgentsView } from '../../features/agents/AgentsView.tsx';

export const metadata: Metadata = { title: 'Agents' };

const Page = () => <AgentsView />;
export default Page;
