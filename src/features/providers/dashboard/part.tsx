import { useId } from 'react';
import type { ReactNode } from 'react';

export interface PartProps {
  readonly title: string;
  readonly detail?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A section of the page with its heading. */
export function DashboardPart({ title, detail, className = '', children }: PartProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={`min-w-0 ${className}`}>
      <div className="flex min-h-6 flex-wrap items-baseline gap-x-3 border-b border-head-rule pb-1.5">
        <h2 id={id} className="m-0 text-body">
          {title}
        </h2>
        {detail !== undefined && (
          <span className="ml-auto min-w-0 text-agate text-ink-3">{detail}</span>
        )}
      </div>
      {children}
    </section>
  );
}
