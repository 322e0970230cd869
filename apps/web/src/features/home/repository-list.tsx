import { Command as Cmdk } from 'cmdk';
import { Check, FolderGit2, Plus, Search } from 'lucide-react';
import { useState } from 'react';
import { looksLikeLocation } from './repository-choices.ts';
import type { RepositoryChoice } from './repository-choices.ts';

interface RepositoryListProps {
  readonly choices: readonly RepositoryChoice[];
  readonly value: string;
  readonly onChoose: (location: string) => void;
}

const item =
  'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1 text-sm select-none data-[selected=true]:bg-hover';

export default function RepositoryListBox({ choices, value, onChoose }: RepositoryListProps) {
  const [search, setSearch] = useState('');
  const typed = search.trim();
  return (
    <Cmdk label="Repositories" loop>
      <div className="flex items-center gap-2.5 border-b border-line px-3">
        <Search aria-hidden className="size-3.5 text-faint" />
        <Cmdk.Input
          autoFocus
          value={search}
          onValueChange={setSearch}
          placeholder="Search, or enter a URL or folder"
          className="h-10 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-faint md:text-sm"
        />
      </div>
      <Cmdk.List className="max-h-72 overflow-y-auto overscroll-contain p-1.5">
        <Cmdk.Empty className="px-2 py-6 text-center text-sm text-muted">
          {choices.length === 0 && typed === ''
            ? 'Enter the URL of a repository, or a folder on this machine.'
            : 'No matches. Enter a full URL or an absolute path to use it.'}
        </Cmdk.Empty>
        {looksLikeLocation(typed) && (
          <Cmdk.Item value={`use ${typed}`} onSelect={() => onChoose(typed)} className={item}>
            <Plus aria-hidden className="size-3.5 text-faint" />
            <span className="min-w-0 flex-1 truncate">
              Use <span className="font-mono">{typed}</span>
            </span>
          </Cmdk.Item>
        )}
        {(['Recent', 'All'] as const).map((group) => (
          <Cmdk.Group
            key={group}
            heading={group}
            className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-1.5 [&_[cmdk-group-heading]]:pb-0.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint"
          >
            {choices
              .filter((choice) => choice.group === group)
              .map(({ location, name }) => (
                <Cmdk.Item
                  key={location}
                  value={`${name} ${location}`}
                  onSelect={() => onChoose(location)}
                  className={item}
                >
                  <FolderGit2 aria-hidden className="size-3.5 shrink-0 text-faint" />
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">{name}</span>
                    <span className="block truncate font-mono text-xs text-muted">{location}</span>
                  </span>
                  {location === value && <Check aria-hidden className="size-3.5 text-accent" />}
                </Cmdk.Item>
              ))}
          </Cmdk.Group>
        ))}
      </Cmdk.List>
    </Cmdk>
  );
}
