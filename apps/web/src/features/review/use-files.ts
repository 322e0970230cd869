import type { FileDiff, SessionId } from '@ship/protocol';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { collapseReason } from '../session/drawer/changes/collapsed-files.ts';
import { inTreeOrder } from './tree.ts';
import { isViewed, readViewed, withViewed, writeViewed } from './viewed.ts';

const sectionOf = (path: string) =>
  document.querySelector<HTMLElement>(`[data-file="${CSS.escape(path)}"]`);

/** The state of the file list: open files, viewed files and the current one. */
export function useFiles(sessionId: SessionId, found: readonly FileDiff[]) {
  const files = useMemo(() => inTreeOrder(found), [found]);
  const [viewed, setViewed] = useState(() => readViewed(sessionId));
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [currentPath, setCurrentPath] = useState<string | null>(null);
  useEffect(() => writeViewed(sessionId, viewed), [sessionId, viewed]);

  const choose = useCallback(
    (path: string, isOpen: boolean) => setChoices((before) => new Map(before).set(path, isOpen)),
    [],
  );
  const isOpen = (file: FileDiff) =>
    choices.get(file.path) ?? (!isViewed(viewed, file) && collapseReason(file) === null);
  const markViewed = useCallback((file: FileDiff, isOn: boolean) => {
    setViewed((before) => withViewed(before, file, isOn));
    // Viewed files close; files to view again open.
    setChoices((before) => new Map(before).set(file.path, !isOn));
  }, []);
  const go = useCallback((path: string) => {
    setCurrentPath(path);
    const section = sectionOf(path);
    section?.querySelector<HTMLElement>('[data-file-toggle]')?.focus({ preventScroll: true });
    section?.scrollIntoView({ block: 'start' });
  }, []);
  const step = (by: 1 | -1) => {
    const index = files.findIndex(({ path }) => path === currentPath);
    const next = index === -1 ? (by === 1 ? 0 : files.length - 1) : index + by;
    const path = files[next]?.path;
    if (path !== undefined) go(path);
  };
  const current = files.find(({ path }) => path === currentPath);
  const viewCurrent = () => {
    if (current === undefined) return;
    const isOn = !isViewed(viewed, current);
    markViewed(current, isOn);
    if (isOn) step(1);
  };
  /** Comments on the focused line, else on the first added line. */
  const comment = () => {
    const target = current ?? files[0];
    if (target === undefined) return;
    choose(target.path, true);
    setCurrentPath(target.path);
    // The lines of a closed file are rendered in the next frame.
    requestAnimationFrame(() => {
      const section = sectionOf(target.path);
      const line =
        section?.querySelector<HTMLElement>('[data-line]:focus') ??
        section?.querySelector<HTMLElement>('[data-line="added"]') ??
        section?.querySelector<HTMLElement>('[data-line]');
      line?.click();
    });
  };
  const viewedCount = files.filter((file) => isViewed(viewed, file)).length;
  return {
    files,
    viewed,
    viewedCount,
    currentPath,
    setCurrentPath,
    isOpen,
    choose,
    markViewed,
    go,
    step,
    viewCurrent,
    comment,
  };
}

export type Files = ReturnType<typeof useFiles>;
