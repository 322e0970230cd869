import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Page, PageHeading } from '../../ui/page.tsx';
import { settingsSections } from './sections.ts';

/** The section list is beside the content on wide screens and above it on narrow ones. */
export function SettingsPage() {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On phones the section list scrolls, and the current section may be out of view.
  useEffect(() => {
    nav.current
      ?.querySelector('[data-status=active]')
      ?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [pathname]);
  return (
    <Page title="Settings">
      <PageHeading title="Settings" />
      <div className="gap-8 md:grid md:grid-cols-[10rem_minmax(0,1fr)]">
        <nav
          ref={nav}
          aria-label="Settings"
          // Fade out at the edges: a section cut in half looks like a mistake.
          className="max-md:-mx-4 max-md:mb-5 max-md:overflow-x-auto max-md:mask-x-from-[calc(100%-1.5rem)] max-md:px-4 max-md:[scrollbar-width:none]"
        >
          <ul className="flex gap-1 md:sticky md:top-6 md:flex-col md:gap-0.5">
            {settingsSections.map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  className="flex h-9 items-center gap-2 rounded-md px-2.5 text-sm whitespace-nowrap text-muted transition-colors hover:bg-hover hover:text-ink data-[status=active]:bg-hover data-[status=active]:text-ink md:h-8"
                >
                  <Icon aria-hidden className="size-3.5" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="min-w-0 space-y-4">
          <Outlet />
        </div>
      </div>
    </Page>
  );
}
