import type { ReactNode } from 'react';

const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="bg-surface px-4 py-3">
    <dt className="text-xs text-faint">{label}</dt>
    <dd className="mt-0.5 truncate text-base font-medium tabular-nums">{children}</dd>
  </div>
);

interface FactsProps {
  readonly facts: readonly { readonly label: string; readonly value: ReactNode }[];
}

/** Cells on a line-coloured background, which draws the rules between them, in two or four columns. */
export const Facts = ({ facts }: FactsProps) => (
  <div className="@container overflow-hidden rounded-xl border border-line shadow-card">
    <dl className="grid grid-cols-2 gap-px bg-line @xl:grid-cols-4">
      {facts.map(({ label, value }) => (
        <Fact key={label} label={label}>
          {value}
        </Fact>
      ))}
    </dl>
  </div>
);
