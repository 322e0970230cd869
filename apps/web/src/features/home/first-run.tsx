import { Link } from '@tanstack/react-router';
import { FolderGit2 } from 'lucide-react';
import { buttonStyles } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { DemoButton } from './demo-button.tsx';
import { HowItWorks } from './how-it-works.tsx';

/** Shown before anything was done here: what Ship does, and two ways to begin. */
export const FirstRun = () => (
  <div className="space-y-10">
    <div className="grid gap-4 md:grid-cols-2">
      <Card aria-labelledby="demo" className="flex flex-col p-4">
        <h2 id="demo" className="font-medium">
          See it work, offline
        </h2>
        <p className="mt-0.5 mb-3 flex-1 text-sm text-pretty text-muted">
          The demo creates a small repo with a failing test and fixes it: a real sandbox, a real
          agent, real git. Only the model is a script, so it needs no account, no key and no
          network. It takes about 15 seconds.
        </p>
        <DemoButton />
      </Card>
      <Card aria-labelledby="own" className="flex flex-col p-4">
        <h2 id="own" className="font-medium">
          Use your own repository
        </h2>
        <p className="mt-0.5 mb-3 flex-1 text-sm text-pretty text-muted">
          Pick one above, or add it here with a setup command and secrets. Local folders work too.
        </p>
        <Link to="/settings/repositories" className={buttonStyles({ className: 'w-fit' })}>
          <FolderGit2 aria-hidden /> Add a repository
        </Link>
      </Card>
    </div>
    <HowItWorks />
  </div>
);
