import { useNavigate } from '@tanstack/react-router';
import { toast } from '../../../ui/toast-store.ts';
import { useSession } from '../session-context.ts';
import type { ParsedCommand } from './commands.ts';

/** Runs a slash command. A prompt after `/plan` or `/build` is sent like any other. */
export function useSlashCommands(send: (text: string) => Promise<unknown>) {
  const { sessionId, state, actions } = useSession();
  const navigate = useNavigate();
  return async ({ command: { name, takes }, rest }: ParsedCommand): Promise<void> => {
    if (rest === '' && (takes === 'a model' || takes === 'a title')) {
      toast({ tone: 'ask', title: `/${name} needs ${takes}`, text: `Enter it after /${name}.` });
      return;
    }
    switch (name) {
      case 'plan':
      case 'build':
        await actions.changeMode(name);
        if (rest !== '') await send(rest);
        return;
      case 'model':
        return actions.chooseModel(rest);
      case 'rename':
        return actions.rename(rest);
      case 'stop':
        return actions.stop();
      case 'retry':
        return actions.retry();
      case 'clear-queue':
        return state.queue.forEach(({ promptId }) => actions.withdrawPrompt(promptId));
      case 'review':
        return navigate({ to: '/sessions/$sessionId/review', params: { sessionId } });
      case 'pause':
      case 'resume':
        return actions.changeSandbox(name);
    }
  };
}
