import { useNavigate } from '@tanstack/react-router';
import type { AgentMode, AttachmentRef, ModelRef, PromptId, SessionId } from '@ship/protocol';
import { useState } from 'react';
import { loadSessionApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { toast } from '../../ui/toast-store.ts';

/** The actions of a session. No optimistic updates: the log confirms each action within a frame or two. */
export function useSessionActions(sessionId: SessionId) {
  const navigate = useNavigate();
  const send = useAction(
    async ({
      text,
      attachments,
    }: {
      readonly text: string;
      readonly attachments: readonly AttachmentRef[];
    }) => (await loadSessionApi()).sendPrompt(sessionId, text, attachments),
  );
  const mode = useAction(async (wanted: AgentMode) =>
    (await loadSessionApi()).changeMode(sessionId, wanted),
  );
  const edit = useAction(
    async ({
      promptId,
      ...change
    }: {
      readonly promptId: PromptId;
      readonly text?: string;
      readonly after?: PromptId | null;
    }) => (await loadSessionApi()).editPrompt(sessionId, promptId, change),
  );
  const withdraw = useAction(async (promptId: PromptId) =>
    (await loadSessionApi()).withdrawPrompt(sessionId, promptId),
  );
  const stop = useAction(async () => (await loadSessionApi()).stopTurn(sessionId));
  const retry = useAction(async () => (await loadSessionApi()).retryTurn(sessionId));
  const rename = useAction(async (title: string) =>
    (await loadSessionApi()).renameSession(sessionId, title),
  );
  const budget = useAction(async (budgetUsd: number) =>
    (await loadSessionApi()).changeBudget(sessionId, budgetUsd),
  );
  const model = useAction(async (wanted: ModelRef) =>
    (await loadSessionApi()).chooseModel(sessionId, wanted),
  );
  const sandbox = useAction(async (verb: 'pause' | 'resume' | 'kill') =>
    (await loadSessionApi()).changeSandbox(sessionId, verb),
  );
  const answer = useAction(
    async ({
      askId,
      answers,
    }: {
      readonly askId: string;
      readonly answers: readonly (readonly string[])[] | null;
    }) => (await loadSessionApi()).answerQuestion(sessionId, askId, answers),
  );
  const permit = useAction(
    async ({
      askId,
      reply,
    }: {
      readonly askId: string;
      readonly reply: 'once' | 'always' | 'reject';
    }) => (await loadSessionApi()).answerPermission(sessionId, askId, reply),
  );
  const plan = useAction(
    async ({
      planId,
      decision,
      text,
    }: {
      readonly planId: string;
      readonly decision: 'approve' | 'edit' | 'reject';
      readonly text: string | null;
    }) => (await loadSessionApi()).decidePlan(sessionId, planId, decision, text),
  );
  const remove = useAction(async () => (await loadSessionApi()).removeSession(sessionId), {
    onDone: () => {
      toast({ tone: 'ok', title: 'Session deleted' });
      void navigate({ to: '/' });
    },
  });
  // Keep the object stable: the whole page reads it and re-renders up to 60 times a second while text streams.
  const current = {
    send: send.mutateAsync,
    changeMode: mode.mutateAsync,
    editPrompt: edit.mutate,
    withdrawPrompt: withdraw.mutate,
    stop: stop.mutate,
    retry: retry.mutate,
    rename: rename.mutate,
    raiseBudget: budget.mutate,
    chooseModel: model.mutate,
    changeSandbox: sandbox.mutate,
    answer: answer.mutate,
    permit: permit.mutate,
    decidePlan: plan.mutate,
    remove: remove.mutate,
    isSending: send.isPending,
    isStopping: stop.isPending,
    isRetrying: retry.isPending,
  };
  return useStable(
    current,
    ({ send: sendPrompt, stop: stopTurn, retry: retryTurn, remove: removeSession, ...rest }) => ({
      ...rest,
      send: (text: string, attachments: readonly AttachmentRef[] = []) =>
        sendPrompt({ text, attachments }),
      stop: () => stopTurn(undefined),
      retry: () => retryTurn(undefined),
      remove: () => removeSession(undefined),
    }),
  );
}

/** Rebuilds the value only if one of the inputs changed. */
function useStable<Inputs extends object, Value>(
  inputs: Inputs,
  build: (inputs: Inputs) => Value,
): Value {
  const [kept, setKept] = useState(() => ({ inputs, value: build(inputs) }));
  const keys = Object.keys(inputs) as (keyof Inputs)[];
  if (keys.every((key) => kept.inputs[key] === inputs[key])) return kept.value;
  const next = { inputs, value: build(inputs) };
  setKept(next);
  return next.value;
}

export type SessionActions = ReturnType<typeof useSessionActions>;
