import { useEffect } from 'react';
import type { RefObject } from 'react';
import { isTyping } from '#src/ui/is-typing.ts';

/** J and K move between rows: they focus the first button or link of the next `[data-row]`. */
export function useRowKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const by = { j: 1, k: -1 }[event.key.toLowerCase()];
      if (by === undefined || event.defaultPrevented || isTyping(event)) return;
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
      const at = rows.findIndex((row) => row.contains(document.activeElement));
      const row =
        rows[
          at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))
        ];
      if (!row) return;
      event.preventDefault();
      row.querySelector<HTMLElement>('button:not(:disabled), a')?.focus();
      row.scrollIntoView({ block: 'nearest' });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [list]);
}
