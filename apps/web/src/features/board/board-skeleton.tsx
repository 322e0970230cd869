import { Skeleton } from '../../ui/skeleton.tsx';
import { columnLabels } from './columns.ts';

export const BoardSkeleton = () => (
  <div aria-busy className="flex gap-3 overflow-hidden">
    {Object.values(columnLabels).map(({ label }) => (
      <div key={label} className="w-72 shrink-0 space-y-2 rounded-xl bg-rail p-2 md:flex-1">
        <p className="px-2 py-1 text-sm font-medium text-faint">{label}</p>
        <Skeleton className="h-20 rounded-lg" />
        <Skeleton className="h-20 rounded-lg" />
      </div>
    ))}
  </div>
);
