import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** `primary` for an irreversible action that is not destructive. */
  readonly variant?: 'danger' | 'primary';
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Confirms an irreversible action. */
export const Confirm = ({
  title,
  text,
  action,
  variant = 'danger',
  onConfirm,
  onClose,
}: ConfirmProps) => (
  <Dialog title={title} description={text} onClose={onClose}>
    <div className="flex justify-end gap-2 px-5 pb-4">
      <Button onClick={onClose}>Cancel</Button>
      <Button
        variant={variant}
        onClick={() => {
          onClose();
          onConfirm();
        }}
      >
        {action}
      </Button>
    </div>
  </Dialog>
);
