import type { KeyboardEvent } from 'react';

/** Up and Down, J and K move between the entries of a list (`data-entry`). */
export function stepEntries(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
  if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = [...document.querySelectorAll<HTMLElement>('[data-entry]')];
  const next = all[all.indexOf(event.currentTarget) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
