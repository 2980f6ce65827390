import { useId } from 'react';
import type { ReactNode } from 'react';

export interface FormSectionProps {
  readonly title: string;
  /** Explanation below the title. */
  readonly description?: ReactNode;
  /** The fragment that addresses and other pages link to. */
  readonly place?: string;
  readonly children: ReactNode;
  /** For lists, which need more space than fields. */
  readonly wide?: boolean;
}

/**
 * A section of a form with its heading: the title at the left and the fields beside it, or one
 * below the other on narrow screens.
 */
export function FormSection({
  title,
  description,
  place,
  children,
  wide = false,
}: FormSectionProps) {
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
        {description !== undefined && <div className="text-ink-2">{description}</div>}
      </div>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">{children}</div>
    </section>
  );
}
