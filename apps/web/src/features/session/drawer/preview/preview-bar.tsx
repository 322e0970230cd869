import { ExternalLink, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { Choice } from '../../../../ui/choice.tsx';
import { Select, TextInput } from '../../../../ui/field.tsx';
import { readAddress } from './address.ts';
import type { PortAddress } from './address.ts';

export type Width = 'full' | 'tablet' | 'phone';

const widths = [
  { value: 'full', label: 'Full' },
  { value: 'tablet', label: '768' },
  { value: 'phone', label: '390' },
] as const;

interface PreviewBarProps {
  readonly ports: readonly number[];
  /** Port labels from the repository's devcontainer.json. */
  readonly labels: ReadonlyMap<number, string>;
  readonly address: PortAddress;
  readonly width: Width;
  readonly onAddress: (address: PortAddress) => void;
  readonly onWidth: (width: Width) => void;
  readonly onReload: () => void;
  readonly onNewTab: () => void;
}

export function PreviewBar(props: PreviewBarProps) {
  const { ports, labels, address, width, onAddress, onWidth, onReload, onNewTab } = props;
  const isListed = ports.includes(address.port);
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
      <Select
        aria-label="Port"
        className="w-auto!"
        value={address.port}
        onChange={(event) => onAddress({ port: Number(event.target.value), path: '/' })}
      >
        {!isListed && <option value={address.port}>{address.port} (not open)</option>}
        {ports.map((port) => (
          <option key={port} value={port}>
            {labels.has(port) ? `${port} · ${labels.get(port)}` : port}
          </option>
        ))}
      </Select>
      <Address key={`${address.port}${address.path}`} address={address} onAddress={onAddress} />
      <Button
        variant="ghost"
        size="icon"
        aria-label="Reload"
        title="Reload the preview"
        onClick={onReload}
      >
        <RotateCw aria-hidden />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Open in a new tab"
        title="Open in a new tab"
        onClick={onNewTab}
      >
        <ExternalLink aria-hidden />
      </Button>
      {/* A phone screen has no other widths to show. */}
      <div className="max-sm:hidden">
        <Choice label="Width" options={widths} value={width} onChange={onWidth} />
      </div>
    </div>
  );
}

interface AddressProps {
  readonly address: PortAddress;
  readonly onAddress: (address: PortAddress) => void;
}

/** Accepts a path, or the full address that a dev server printed. */
function Address({ address, onAddress }: AddressProps) {
  const [typed, setTyped] = useState(address.path);
  const read = readAddress(typed, address);
  return (
    <form
      className="min-w-32 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        if (read !== null) onAddress(read);
      }}
    >
      <TextInput
        aria-label="Address"
        aria-invalid={read === null}
        title={read === null ? 'A path, or an address such as localhost:3000/path' : undefined}
        className="font-mono"
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  );
}
