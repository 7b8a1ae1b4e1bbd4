import type { Metadata } from 'next';
import { TurnView } from '../../../features/turns/TurnView.tsx';

interface Props {
  readonly params: Promise<{ readonly id: string }>;
}

export const metadata: Metadata = { title: 'Turn' };

const Page = async ({ params }: Props) => {
  const id = decodeURIComponent((await params).id);
  return <TurnView key={id} id={id} />;
};
export default Page;
