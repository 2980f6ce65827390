import type { ReactNode } from 'react';

/** Background of the keycap: a sheet, a filled accent, an accent wash, or the bulk bar. */
export type KbdOn = 'sheet' | 'accent' | 'wash' | 'bar';

const ON: Readonly<Record<KbdOn, string>> = {
  sheet: 'border-rule bg-sheet text-ink-3',
  accent: 'border-on-accent/55 text-on-accent',
  wash: 'border-accent-line text-accent',
  bar: 'border-bar-line text-on-bar-2',
};

/** Keycaps that are written differently in `aria-keyshortcuts`. */
const ARIA_KEYS: Readonly<Record<string, string>> = {
  'Esc': 'Escape',
  '⇧E': 'Shift+E',
  'Ctrl Enter': 'Control+Enter',
  '⌘↵': 'Meta+Enter',
};

/** Returns a keycap as the value of `aria-keyshortcuts` (WAI-ARIA 1.2, 6.6). */
export const getAriaKeys = (keycap: string): string => ARIA_KEYS[keycap] ?? keycap;

/**
 * A keycap. It is hidden from screen readers, because its control announces the shortcut by
 * `aria-keyshortcuts`. Not shown on devices without a keyboard.
 */
export function Kbd({
  children,
  on = 'sheet',
}: {
  readonly children: ReactNode;
  readonly on?: KbdOn;
}) {
  return (
    <kbd
      aria-hidden
      className={`inline-block min-w-[17px] rounded-box border px-1 text-center font-sans text-agate font-medium pointer-coarse:hidden ${ON[on]}`}
    >
      {children}
    </kbd>
  );
}
