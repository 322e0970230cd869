import { Link } from '@tanstack/react-router';
import { buttonStyles } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';

export const NotFound = () => (
  <Page title="Page not found">
    <p className="font-mono text-sm text-faint">404</p>
    <h1 className="mt-1 text-xl font-semibold tracking-tight">Page not found</h1>
    <p className="mt-1 mb-5 max-w-prose text-muted">
      The address may be mistyped, or the page was removed.
    </p>
    <Link to="/" className={buttonStyles()}>
      Go to Home
    </Link>
  </Page>
);
