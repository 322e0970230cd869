import { Link } from '@tanstack/react-router';
import { Keyboard, Search } from 'lucide-react';
import { ConnectionIndicator } from '../features/system/connection-indicator.tsx';
import { SignOutButton } from '../features/sign-in/sign-out-button.tsx';
import { ThemeSwitch } from '../features/theme/theme-switch.tsx';
import { Button } from '../ui/button.tsx';
import { Keys } from '../ui/kbd.tsx';
import { Logo } from '../ui/logo.tsx';
import { pages } from './navigation.ts';

interface SidebarProps {
  readonly onSearch: () => void;
  readonly onShortcuts: () => void;
}

/** A sidebar on wide screens. On narrow ones the same elements form a top bar and a tab bar. */
export const Sidebar = ({ onSearch, onShortcuts }: SidebarProps) => (
  <header className="sticky top-0 z-30 flex items-center gap-1.5 border-line bg-rail px-3 max-md:h-13 max-md:border-b md:h-dvh md:flex-col md:items-stretch md:gap-4 md:border-r md:py-3">
    <Link to="/" className="flex items-center gap-2 rounded-md px-1.5 py-1">
      <Logo className="size-6" />
      <span className="text-lg font-semibold tracking-[-0.02em]">Ship</span>
    </Link>

    <button
      type="button"
      onClick={onSearch}
      aria-keyshortcuts="Control+K Meta+K"
      className="flex h-9 items-center gap-2 rounded-md text-sm text-muted transition-colors hover:text-ink max-md:ml-auto max-md:w-9 max-md:justify-center md:h-8 md:border md:border-line md:bg-canvas md:pr-1.5 md:pl-2.5 md:hover:border-line-strong"
    >
      <Search aria-hidden className="size-4 md:size-3.5" />
      <span className="flex-1 text-left max-md:sr-only">Search</span>
      <span className="max-md:hidden" aria-hidden>
        <Keys keys="mod+k" />
      </span>
    </button>

    <nav
      aria-label="Main"
      className="max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:border-t max-md:border-line max-md:bg-rail max-md:pb-[env(safe-area-inset-bottom)]"
    >
      <ul className="flex md:flex-col md:gap-0.5">
        {pages.map(({ to, label, icon: Icon }) => (
          <li key={to} className="flex-1">
            <Link
              to={to}
              activeOptions={{ exact: to === '/' }}
              className="flex items-center gap-2.5 text-muted transition-colors hover:text-ink data-[status=active]:text-ink max-md:h-14 max-md:flex-col max-md:justify-center max-md:gap-1 max-md:text-xs md:h-8 md:rounded-md md:px-2.5 md:text-sm md:font-medium md:hover:bg-hover md:data-[status=active]:bg-hover [&[data-status=active]_svg]:text-accent"
            >
              <Icon aria-hidden className="size-5 md:size-4" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>

    <div className="flex items-center gap-1.5 md:mt-auto md:flex-col md:items-stretch md:gap-2">
      <ConnectionIndicator />
      <div className="flex items-center justify-between gap-1 md:px-1">
        <ThemeSwitch />
        <SignOutButton />
        <Button
          variant="ghost"
          size="icon"
          onClick={onShortcuts}
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          className="max-md:hidden"
        >
          <Keyboard aria-hidden />
        </Button>
      </div>
    </div>
  </header>
);
