import Link from 'next/link';
import { Empty } from '../ui/Notices.tsx';

const NotFound = () => (
  <div className="page">
    <Empty as="h1" title="There is no such page">
      <Link href="/">Go to the matrix</Link>
    </Empty>
  </div>
);
export default NotFound;
