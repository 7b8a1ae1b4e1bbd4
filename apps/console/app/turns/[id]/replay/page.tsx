import type { Metadata } from 'next';
import { ReplayView } from '../../../../features/replay/ReplayView.tsx';

interface Props {
  readonly params: Promise<{ readonly id: string }>;
}

export const metadata: Metadata = { title: 'Replay' };

const Page = async ({ params }: Props) => {
  const id = decodeURIComponent((await params).id);
  return <ReplayView key={id} id={id} />;
};
export default Page;
