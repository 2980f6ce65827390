import type { ReactNode } from 'react';

/** On which ground the keycap stands: a sheet, a filled accent, an accent wash, or the bulk bar. */
export type KbdOn = 'sheet' | 'accent' | 'wash' | 'bar';

const ON: Readonly<Record<KbdOn, string>> = {
  sheet: 'border-rule bg-sheet text-ink-3',
  accent: 'border-on-accent/55 text-on-accent',
  wash: 'border-accent-line text-accent',
  bar: 'border-bar-line text-on-bar-2',
};

/**
 * A keycap. Hidden from screen readers: the control it stands in says its shortcut by
 * `aria-keyshortcuts`. Not shown where there is no keyboard.
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
