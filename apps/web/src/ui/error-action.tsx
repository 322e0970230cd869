import type { ErrorAction, SettingsSection } from '@ship/protocol';
import { Link, useLocation } from '@tanstack/react-router';
import { Settings } from 'lucide-react';
import { buttonStyles } from './button.tsx';

interface ErrorActionLinkProps {
  /** Undefined for errors that no single action resolves, and for those stored before actions existed. */
  readonly action: ErrorAction | undefined;
}

/** The button for an error's action. */
export function ErrorActionLink({ action }: ErrorActionLinkProps) {
  switch (action?.kind) {
    case 'open-settings':
      return <SettingsLink section={action.section} />;
    case undefined:
      return null;
  }
}

function SettingsLink({ section }: { readonly section: SettingsSection }) {
  const to = `/settings/${section}` as const;
  const isThere = useLocation({ select: ({ pathname }) => pathname === to });
  return isThere ? null : (
    <Link to={to} className={buttonStyles()}>
      <Settings aria-hidden /> Open settings
    </Link>
  );
}
