import type { Metadata } from 'next';
import { ApprovalsView } from '../../features/approvals/ApprovalsView.tsx';

export const metadata: Metadata = { title: 'Approvals' };

const Page = () => <ApprovalsView />;
export default Page;
