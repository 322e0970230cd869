import { RotateCw } from 'lucide-react';
import { newest } from '../items.ts';
import { personName } from '../../person-name.ts';
import { useSession } from '../../session-context.ts';
import { Attachments } from '../../attachments.tsx';
import { Line } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

export function PromptView({ item }: ViewProps) {
  const { sessionId, promptOf } = useSession();
  const event = newest(item);
  if (event.type !== 'turn.started') return null;
  if (event.data.continues) return <Line icon={RotateCw}>Continuing with the same prompt.</Line>;
  const prompt = promptOf(event.data.promptId);
  return (
    <div className="flex justify-end pt-5 pb-2">
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5">
        <h2 className="sr-only">{prompt === undefined ? 'Prompt' : personName(prompt.author)}</h2>
        {prompt === undefined ? (
          <p className="text-muted">The prompt is earlier in the log.</p>
        ) : (
          <p className="break-words whitespace-pre-wrap">{prompt.text}</p>
        )}
        {prompt?.attachments !== undefined && (
          <Attachments sessionId={sessionId} attachments={prompt.attachments} />
        )}
        {event.data.attempt > 1 && (
          <p className="mt-1 text-xs text-muted">Attempt {event.data.attempt}</p>
        )}
      </div>
    </div>
  );
}
