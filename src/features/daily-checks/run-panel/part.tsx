import type { ReactNode } from 'react';
import type { ExecutionQuery } from './use-execution.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';

interface PartProps {
  readonly title: string;
  /** Text beside the title. */
  readonly aside?: ReactNode;
  /** Button to show more or less. */
  readonly more?: {
    readonly open: boolean;
    readonly label: string;
    readonly onPress: () => void;
  } | null;
  readonly children: ReactNode;
}

/** A section of the panel with its heading. */
export function PanelPart({ title, aside, more = null, children }: PartProps) {
  return (
    <section className="pt-3">
      <div className="flex items-baseline gap-2 pb-1">
        <h3 className="m-0">{title}</h3>
        {aside !== undefined && <span className="dc-ag min-w-0">{aside}</span>}
        {more && (
          <button
            type="button"
            className="rp-more"
            aria-expanded={more.open}
            onClick={more.onPress}
          >
            {more.label}
          </button>
        )}
      </div>
      {children}
    </section>
  );
}

/**
 * Placeholder for data that only the server has: loading, or why it is unavailable. It updates when
 * the data arrives.
 */
export function Unknown({
  query,
  waiting,
}: {
  readonly query: ExecutionQuery;
  readonly waiting: string;
}) {
  const { execution, failure, message, isLoading, again } = query;
  if (execution !== null) return null;
  if (message !== null) {
    return (
      <p className="m-0 flex items-center gap-2 py-1 text-ink-2">
        <span className="grow">{message}</span>
        {offerRetry(failure, again, { variant: 'quiet', size: 'sm' })}
      </p>
    );
  }
  return isLoading ? (
    <div className="rp-wait">
      <span className="sr-only">{waiting}</span>
      <i />
      <i />
      <i />
    </div>
  ) : null;
}

/** The same for another section of the panel. */
export function Unheard({
  title,
  offline,
  unreadable,
  query: { unreached },
}: {
  readonly title: string;
  readonly offline: string;
  readonly unreadable: string;
  readonly query: ExecutionQuery;
}) {
  return (
    <PanelPart title={title}>
      <p className="m-0 py-1 text-ink-2">{unreached ? offline : unreadable}</p>
    </PanelPart>
  );
}
