import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { queryStateMessages as t } from './query-states.messages.en.ts';

interface RefusedProps {
  readonly failure: Failure;
  /** Time of the data shown below; null if there is none. */
  readonly at: Ms | null;
  readonly own: boolean;
  readonly zone: string;
  readonly onAgain: () => void;
}

/** Explains why the server's part is missing or outdated. */
export function RefusedNotice({ failure, at, own, zone, onAgain }: RefusedProps) {
  const error = failure.message;
  const offline = failure.kind === 'needs-network';
  return (
    <div className="px-4 py-3 desk:px-6">
      <Callout
        tone={offline ? 'warning' : 'failed'}
        alert
        action={offerRetry(failure, onAgain, { size: 'sm' })}
      >
        {offline && at === null && !own ? t.notOnDevice({ reason: error }) : error}
        {at !== null && (
          <span className="block text-agate text-ink-3">
            {t.dataFrom({ when: formatWhen(at, zone) })}
          </span>
        )}
        {at === null && own && <span className="block text-agate text-ink-3">{t.ownData}</span>}
      </Callout>
    </div>
  );
}

/** No result in the period, and what to do. */
export function NoResults({
  narrowed,
  onAll,
  onLonger,
}: {
  readonly narrowed: boolean;
  readonly onAll: () => void;
  readonly onLonger: () => void;
}) {
  return (
    <Notice icon="trends" level={2} title={t.none}>
      <p className="m-0">{narrowed ? t.noneFiltered : t.noneAtAll}</p>
      <p className="m-0 flex flex-wrap justify-center gap-2 pt-2">
        <Button onClick={onLonger}>{t.showLast30Days}</Button>
        {narrowed && <Button onClick={onAll}>{t.clearFilters}</Button>}
      </p>
    </Notice>
  );
}

/** The period exceeds twelve months. */
export const TooLong = () => (
  <div className="px-4 py-3 desk:px-6">
    <Callout tone="warning" alert>
      {MESSAGES.evidenceTooLong}
    </Callout>
  </div>
);
