import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ChevronDown, FolderGit2 } from 'lucide-react';
import { Popover } from 'radix-ui';
import { Suspense, lazy, useState } from 'react';
import { repositoriesQuery } from '../../data/queries.ts';
import { repositoryName } from '../../ui/format.ts';
import { choicesOf } from './repository-choices.ts';
import { optionStyles } from './option-field.tsx';
import { recentQuery } from './session-lists.ts';

const loadList = () => import('./repository-list.tsx');
const RepositoryListBox = lazy(loadList);

interface RepositoryPickerProps {
  readonly value: string;
  readonly onChange: (location: string) => void;
}

/** Picks a recent or known repository, or any location that is typed. */
export function RepositoryPicker({ value, onChange }: RepositoryPickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { data: known } = useQuery(repositoriesQuery);
  const { data: recent } = useInfiniteQuery(recentQuery(''));
  const choices = choicesOf(
    recent?.pages.flatMap((page) => page.sessions) ?? [],
    known?.repositories ?? [],
  );
  const chosen = choices.find(({ location }) => location === value);
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger
        onPointerEnter={() => void loadList()}
        aria-label={value === '' ? 'Choose a repository' : `Repository: ${value}`}
        className={optionStyles}
      >
        <FolderGit2 aria-hidden className="size-3.5 shrink-0" />
        <span className={value === '' ? '' : 'max-w-44 truncate text-ink'}>
          {value === '' ? 'Choose a repository' : (chosen?.name ?? repositoryName(value))}
        </span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label="Repositories"
          className="z-40 w-[min(26rem,calc(100vw-1.5rem))] animate-rise rounded-xl border border-line bg-surface shadow-dialog outline-none"
        >
          <Suspense fallback={<p className="p-4 text-sm text-muted">Loading…</p>}>
            <RepositoryListBox
              choices={choices}
              value={value}
              onChoose={(location) => {
                onChange(location);
                setIsOpen(false);
              }}
            />
          </Suspense>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
