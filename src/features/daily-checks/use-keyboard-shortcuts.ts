import { useEffect, useEffectEvent } from 'react';
import { getCommand, needsActions } from './keyboard-shortcuts.ts';
import type { ShortcutCommand } from './keyboard-shortcuts.ts';

/**
 * Handles the list's shortcuts wherever the focus is, except in fields and dialogs, and except keys
 * that the focused control handles.
 */
export function useKeys(canAct: boolean, onCommand: (command: ShortcutCommand) => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent): void => {
    const command = getCommand(event);
    if (
      command === null ||
      event.defaultPrevented ||
      event.isComposing ||
      (needsActions(command) && !canAct)
    )
      return;
    const at = event.target instanceof Element ? event.target : null;
    if (at?.closest(FIELDS) != null || (OWN.has(event.key) && !ofTheList(at))) return;
    event.preventDefault();
    onCommand(command);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

const FIELDS =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]';
/** Keys that a focused button, link or scrollable part handles. */
const OWN = new Set([
  'Enter',
  ' ',
  'ArrowDown',
  'ArrowUp',
  'ArrowLeft',
  'ArrowRight',
  'PageDown',
  'PageUp',
  'Home',
  'End',
]);
const ofTheList = (at: Element | null): boolean =>
  at === null || at.matches('body, #content, [role=grid], [data-index]');
