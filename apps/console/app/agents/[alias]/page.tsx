import type { Metadata } from 'next';
import { AgentView } from '../../../features/agents/AgentView.tsx';

interface Props {
  readonly params: Promise<{ readonly alias: string }>;
}

export const generateMetadata = async ({ params }: Props): Promise<Metadata> => ({
  title: decodeURIComponent((await params).alias),
});

const Page = async ({ params }: Props) => {
  const alias = decodeURIComponent((await params).alias);
  return <AgentView key={alias} alias={alias} />;
};
export default Page;
