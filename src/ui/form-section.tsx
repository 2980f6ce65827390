import { useId } from 'react';
import type { ReactNode } from 'react';

export interface FormSectionProps {
  readonly title: string;
  /** What it is for, below the title. */
  readonly says?: ReactNode;
  /** Where lines of the address and of other pages lead. */
  readonly place?: string;
  readonly children: ReactNode;
  /** Rows of a list need more room than fields. */
  readonly wide?: boolean;
}

/**
 * A part of a page of fields under its head rule: its name at the left, its fields beside it; one
 * below the other where it is narrow.
 */
export function FormSection({ title, says, place, children, wide = false }: FormSectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      {...(place !== undefined && { id: place })}
      className={`grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-4 border-t-2 border-head-rule py-5 ${wide ? 'desk:grid-cols-[240px_minmax(0,780px)]' : 'desk:grid-cols-[240px_minmax(0,480px)]'}`}
    >
      <div className="grid content-start gap-1">
        <h2 id={id} className="m-0 text-body font-semibold">
          {title}
        </h2>
        {says !== undefined && <div className="text-ink-2">{says}</div>}
      </div>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">{children}</div>
    </section>
  );
}
