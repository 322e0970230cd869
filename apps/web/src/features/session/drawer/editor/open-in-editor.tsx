import { useNavigate } from '@tanstack/react-router';
import { SquarePen } from 'lucide-react';
import { Button } from '../../../../ui/button.tsx';
import { targetText } from './target.ts';
import type { Target } from './target.ts';

/** Opens the editor pane at a line. */
export function OpenInEditor({ path, line }: Target) {
  const navigate = useNavigate();
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={`Open ${path} in the editor`}
      title="Open in the editor"
      onClick={() =>
        void navigate({ to: '.', search: { pane: 'editor', at: targetText({ path, line }) } })
      }
    >
      <SquarePen aria-hidden />
    </Button>
  );
}
