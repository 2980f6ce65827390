import { useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatAge, formatCount, formatUtc, formatWhen, plural } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import type { HandOver } from '#workers/api.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { addressOfView } from '../saved-views/views.ts';

export interface PastHandOversProps {
  readonly zone: string;
  readonly now: Ms;
}

const PAGE = 50;

/** Every hand-over that this device knows, newest first. */
export function PastHandOvers({ zone, now }: PastHandOversProps) {
  const shifts = useWatch('shifts', NOTHING);
  const companies = useWatch('companies', NOTHING);
  const [most, setMost] = useState(PAGE);
  if (shifts === undefined || companies === undefined)
    return (
      <DelayedFallback>
        <PageLoading />
      </DelayedFallback>
    );
  if (shifts.length === 0) {
    return (
      <Notice icon="users" level={2} title="No hand-over yet">
        <p className="m-0 text-balance">
          A hand-over tells the next person what is done and what is open. It is made in daily
          checks.
        </p>
      </Notice>
    );
  }
  const names = new Map(companies.map(({ n, name }) => [n, name]));
  return (
    <>
      <ol className="m-0 list-none p-0" aria-label="Hand-overs">
        {shifts.slice(0, most).map((one) => (
          <li key={one.id} className="border-b border-hair px-5 py-3">
            <Past one={one} names={names} zone={zone} now={now} />
          </li>
        ))}
      </ol>
      {shifts.length > most && (
        <div className="px-5 py-3">
          <Button onClick={() => setMost(most + PAGE)}>
            Show {formatCount(Math.min(PAGE, shifts.length - most))} more
          </Button>
        </div>
      )}
    </>
  );
}

const NAMED = 5;

function Past({
  one,
  names,
  zone,
  now,
}: PastHandOversProps & { readonly one: HandOver; readonly names: ReadonlyMap<number, string> }) {
  const all = one.open.reduce((sum, { problems }) => sum + problems, 0);
  const named = one.open
    .slice(0, NAMED)
    .map(
      ({ company, problems }) =>
        `${names.get(company) ?? `Company ${company}`} ${formatCount(problems)}`,
    );
  const rest = one.open.length - named.length;
  return (
    <div className="grid gap-x-6 gap-y-0.5 tablet:grid-cols-[220px_minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <b className="block truncate" data-tip={one.name}>
          {one.name === '' ? 'Somebody' : one.name}
        </b>
        <time className="text-agate text-ink-3" data-tip={formatUtc(one.at)}>
          {formatWhen(one.at, zone)}, {formatAge(one.at, now)}
        </time>
      </div>
      <div className="min-w-0">
        <p className="m-0">
          {formatCount(one.cleared)} of {formatCount(one.of)} reviewed, {plural(all, 'problem')} to
          check, {formatCount(one.snoozed)} snoozed
          {one.ending.length > 0 &&
            `, ${plural(one.ending.length, 'snooze ends', 'snoozes end')} within a day`}
        </p>
        {named.length > 0 && (
          <p className="m-0 break-words text-agate text-ink-3">
            {named.join(', ')}
            {rest > 0 && ` and ${plural(rest, 'more company', 'more companies')}`}
          </p>
        )}
        {one.comment !== null && (
          <p className="m-0 pt-1 break-words whitespace-pre-line text-ink-2">{one.comment}</p>
        )}
      </div>
      <SectionLink
        href={addressOfView(one.query)}
        className="text-accent underline-offset-2 hover:underline pointer-coarse:py-3"
      >
        Open their list
      </SectionLink>
    </div>
  );
}

const NOTHING = {};
