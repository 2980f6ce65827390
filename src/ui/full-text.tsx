import type { ReactNode } from 'react';

/** Approximate number of visible characters in a field. */
const SHOWN = 38;

/** Returns the text below a field: its full value if it is longer than the field, then the hint. */
export const fullText = (text: string, hint?: string): ReactNode =>
  text.length <= SHOWN ? (
    hint
  ) : (
    <>
      <span className="block text-ink-2">{text}</span>
      {hint}
    </>
  );
