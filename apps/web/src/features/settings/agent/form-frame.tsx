import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/notice.tsx';

interface FormFrameProps {
  readonly label: string;
  readonly failure: unknown;
  readonly isBusy: boolean;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

export const FormFrame = (props: FormFrameProps) => (
  <form
    aria-label={props.label}
    noValidate
    className="space-y-4"
    onSubmit={(event) => {
      event.preventDefault();
      props.onSubmit();
    }}
  >
    {props.children}
    {props.failure !== null && <FailureNote cause={props.failure} />}
    <div className="flex gap-2">
      <Button type="submit" variant="primary" disabled={props.isBusy}>
        Save
      </Button>
      <Button onClick={props.onCancel}>Cancel</Button>
    </div>
  </form>
);

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Problems by field; `name` also if the name is taken. */
export function problemsOf(
  issues: readonly Issue[],
  name: string,
  taken: readonly string[],
): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {};
  if (taken.includes(name)) problems['name'] = 'This name is already in use.';
  for (const { path, message } of issues) {
    const [field, ...inner] = path.map(String);
    if (field !== undefined) problems[field] ??= [...inner, message].join(': ');
  }
  return problems;
}
