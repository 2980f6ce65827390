import type { ReactNode } from 'react';

/** About as many characters as a field shows. */
const SHOWN = 38;

/** What stands below a field: where its text is longer than the field, all of it, then the hint. */
export const fullText = (text: string, hint?: string): ReactNode =>
  text.length <= SHOWN ? (
    hint
  ) : (
    <>
      <span className="block text-ink-2">{text}</span>
      {hint}
    </>
  );
