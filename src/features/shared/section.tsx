import { useId } from 'react';
import type { ReactNode } from 'react';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { SectionLink } from './section-link.tsx';
import type { PolledQuery } from './queries/use-polled-query.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { sectionMessages as t } from './section.messages.en.ts';

export interface SectionProps {
  readonly title: string;
  /** Target of the title. */
  readonly href?: string | null;
  /** Small text at the right. */
  readonly detail?: ReactNode;
  readonly className?: string;
  /** The fragment that links to this section. */
  readonly place?: string;
  readonly children: ReactNode;
}

/** A section of the dashboard with its heading. */
export function DashboardSection({
  title,
  href = null,
  detail,
  className = '',
  place,
  children,
}: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={`min-w-0 outline-none ${className}`}
      {...(place !== undefined && { id: place, tabIndex: -1 })}
    >
      <div className="flex min-h-6 flex-wrap items-baseline gap-x-2 border-b border-head-rule pb-1.5">
        <h2 id={id} className="m-0 text-[length:inherit]">
          {href === null ? (
            title
          ) : (
            <SectionLink
              href={href}
              className="inline-flex items-center hover:underline pointer-coarse:min-h-11"
            >
              {title}
            </SectionLink>
          )}
        </h2>
        {detail !== undefined && (
          <span className="ml-auto min-w-0 text-right text-agate text-ink-3">{detail}</span>
        )}
      </div>
      {children}
    </section>
  );
}

/** Placeholder bars, shown after 100 ms. */
export function PlaceholderLines({ count }: { readonly count: number }) {
  return (
    <DelayedFallback>
      <div aria-busy="true">
        <span className="sr-only">{t.loading}</span>
        {Array.from({ length: count }, (_, i) => (
          <div
            key={i}
            aria-hidden
            className="flex h-10 items-center justify-between gap-8 border-b border-hair"
          >
            <i className="h-[9px] w-1/2 rounded-[2px] bg-hair" />
            <i className="h-[9px] w-1/6 rounded-[2px] bg-hair" />
          </div>
        ))}
      </div>
    </DelayedFallback>
  );
}

interface FromServerProps<T> {
  readonly query: PolledQuery<T>;
  /** Returns the text with the age of the answer if a newer one is not available. */
  readonly formatAge: (at: number) => string;
  readonly lines?: number;
  readonly children: (value: T) => ReactNode;
}

/** Data that only the server has: loading, current, outdated, or failed with its reason. */
export function FromServer<T>({
  query: { value, at, failure, error, again },
  formatAge,
  lines = 4,
  children,
}: FromServerProps<T>) {
  return (
    <>
      {error !== null && (
        <div className="flex items-center gap-3 border-b border-hair py-2">
          <span className="min-w-0 grow text-ink-2">
            {error}
            {at !== null && (
              <span className="block text-agate text-ink-3">{t.asOf({ time: formatAge(at) })}</span>
            )}
          </span>
          {offerRetry(failure, again, { size: 'sm' })}
        </div>
      )}
      {value !== null ? children(value) : error === null && <PlaceholderLines count={lines} />}
    </>
  );
}
