import { useId } from 'react';
import type { ReactNode } from 'react';

export interface SectionProps {
  readonly title: string;
  /** What it is for, below the title. */
  readonly says?: ReactNode;
  readonly children: ReactNode;
  /** Rows of a list need more room than fields. */
  readonly wide?: boolean;
}

/** A part of a page of settings: its name at the left, its fields beside it; one below the other on a phone. */
export function Section({ title, says, children, wide = false }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={`grid gap-x-10 gap-y-4 border-t-2 border-head-rule py-5 desk:grid-cols-[220px_minmax(0,1fr)] ${wide ? 'max-w-[1040px]' : 'max-w-[740px]'}`}>
      <div className="grid content-start gap-1">
        <h2 id={id} className="m-0 font-semibold text-body">{title}</h2>
        {says !== undefined && <p className="m-0 text-ink-2">{says}</p>}
      </div>
      <div className="grid min-w-0 content-start gap-4">{children}</div>
    </section>
  );
}
