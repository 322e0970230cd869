import { Link } from '@tanstack/react-router';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ShipFailure } from '@ship/protocol';
import { Button, buttonStyles } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';

const explain = (error: unknown) =>
  error instanceof ShipFailure
    ? error.error
    : {
        message: 'This page failed to load or render.',
        remedy: 'Reload it. If Ship is stopped, start it with npm start first.',
      };

/** Offers no "Retry": a chunk that failed to load stays failed until the page is reloaded. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const { message, remedy } = explain(error);
  return (
    <Page title="Something went wrong">
      <div role="alert">
        <h1 className="text-xl font-semibold tracking-tight">Something went wrong</h1>
        <p className="mt-1 max-w-prose text-muted">
          {message} {remedy}
        </p>
      </div>
      <div className="mt-5 flex gap-2">
        <Button variant="primary" onClick={() => location.reload()}>
          Reload
        </Button>
        <Link to="/" className={buttonStyles()}>
          Go to Home
        </Link>
      </div>
      <details className="mt-8 text-sm">
        <summary className="w-fit rounded text-muted">Details for a bug report</summary>
        <pre className="mt-2 overflow-x-auto rounded-md border border-line bg-surface p-3 font-mono text-xs whitespace-pre-wrap">
          {error instanceof Error ? (error.stack ?? error.message) : String(error)}
        </pre>
      </details>
    </Page>
  );
}
