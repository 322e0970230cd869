import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import { CopyCommand } from '../../ui/copy-command.tsx';

const Path = ({ children }: { readonly children: ReactNode }) => (
  <code className="font-mono text-ink">{children}</code>
);

export const Pointers = () => (
  <Card aria-labelledby="pointers" className="p-4">
    <h2 id="pointers" className="text-base font-medium">
      Check this machine
    </h2>
    <p className="mt-0.5 mb-3 text-sm text-muted">
      Looks at Node, git, isolation, ports and disk, and says how to mend what is missing.
    </p>
    <CopyCommand command="npx ship doctor" />
    <h2 className="mt-5 text-base font-medium">Read on</h2>
    <p className="mt-0.5 text-sm text-muted">
      In the repository: <Path>README.md</Path> to start, <Path>docs/architecture.md</Path> for the
      way of a task through the code.
    </p>
  </Card>
);
