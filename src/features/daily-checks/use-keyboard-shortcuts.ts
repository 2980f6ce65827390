import { useEffect, useEffectEvent } from 'react';
import { commandOf, needsActions } from './keyboard-shortcuts.ts';
import type { Command } from './keyboard-shortcuts.ts';

/**
 * The list's keys, wherever the focus is: not in a field or a dialog, and not what the focused
 * control does by itself.
 */
export function useKeys(acts: boolean, onCommand: (command: Command) => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent): void => {
    const command = commandOf(event);
    if (
      command === null ||
      event.defaultPrevented ||
      event.isComposing ||
      (needsActions(command) && !acts)
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
/** Keys that mean something to a focused button, link or scrolled part. */
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
