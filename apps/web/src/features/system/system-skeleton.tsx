import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Facts } from '../../ui/facts.tsx';

const labels = ['Version', 'Protocol', 'Started', 'Checked'];

export const SystemSkeleton = () => (
  <div className="space-y-4" aria-busy>
    <Facts
      facts={labels.map((label) => ({ label, value: <Skeleton className="my-1 h-3.5 w-16" /> }))}
    />
    <Card>
      <div className="divide-y divide-line">
        {labels.slice(1).map((key) => (
          <div key={key} className="flex items-center justify-between px-4 py-4">
            <div className="space-y-2">
              <Skeleton className="h-3.5 w-28" />
              <Skeleton className="h-3 w-44" />
            </div>
            <Skeleton className="h-6 w-16 rounded-full" />
          </div>
        ))}
      </div>
    </Card>
  </div>
);
