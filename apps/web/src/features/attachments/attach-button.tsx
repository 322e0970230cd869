import { Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../ui/button.tsx';

interface AttachButtonProps {
  readonly onFiles: (files: readonly File[]) => void;
}

export function AttachButton({ onFiles }: AttachButtonProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Attach files"
        title="Attach images or text files; you can also paste or drop them"
        onClick={() => picker.current?.click()}
      >
        <Paperclip aria-hidden />
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </>
  );
}
