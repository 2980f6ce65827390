import { useState } from 'react';
import type { Ms, UserId } from '#contract/ids.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { writeStored, readStored } from '#src/app/session/browser-storage.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import type { HandOver } from '#workers/api.ts';
import { sinceHandOverText, findUnreadHandOver } from './latest-hand-over.ts';
import { handOverMessages as t } from './messages.en.ts';

export interface SinceLineProps {
  readonly me: UserId;
  readonly zone: string;
  readonly now: Ms;
  /** The current list. */
  readonly filter: RunsFilter;
  /** Shows the list of the hand-over. */
  readonly onOpen: (query: string) => void;
}

/**
 * Banner above the list for the next person: what is new since the last hand-over, until it is
 * dismissed.
 */
export function SinceLine({ me, zone, now, filter, onOpen }: SinceLineProps) {
  const shifts = useWatch('shifts', EMPTY);
  const place = `hand-over.${me}`;
  const [away, setAway] = useState(() => readStored(place));
  const last = findUnreadHandOver(shifts ?? [], me, away, now);
  if (!last) return null;
  const putAway = (): void => {
    writeStored(place, last.id);
    setAway(last.id);
  };
  return (
    <Line
      key={last.id}
      last={last}
      zone={zone}
      now={now}
      filter={filter}
      onOpen={onOpen}
      onAway={putAway}
    />
  );
}

function Line({
  last,
  zone,
  now,
  filter,
  onOpen,
  onAway,
}: Omit<SinceLineProps, 'me'> & { readonly last: HandOver; readonly onAway: () => void }) {
  const shift = useWatch('shiftNow', { since: last.at, list: filter });
  if (!shift) return null;
  return (
    <section
      aria-label={t.region}
      className="flex min-h-10 items-center gap-x-2 border-t border-rule bg-accent-wash py-1 pr-1.5 pl-4"
    >
      <div className="flex min-w-0 grow flex-col items-start tablet:flex-row tablet:items-center tablet:gap-x-2">
        <p className="m-0 min-w-0 grow break-words">
          {sinceHandOverText(last, shift, now, zone)}
          {last.comment !== null && (
            <span className="block max-h-10 overflow-auto whitespace-pre-line text-ink-2">
              {last.comment}
            </span>
          )}
        </p>
        <Button
          size="sm"
          variant="quiet"
          className="max-tablet:-ml-2"
          onClick={() => onOpen(last.query)}
        >
          {t.openList}
        </Button>
      </div>
      <IconButton icon="close" label={t.dismiss} onClick={onAway} />
    </section>
  );
}

const EMPTY = {};
