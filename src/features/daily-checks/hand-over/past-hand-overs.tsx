import { formatList } from '#contract/i18n/list.ts';
import { useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatAge, formatCount, formatUtc, formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import type { HandOver } from '#workers/api.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { addressOfView } from '../saved-views/views.ts';
import { handOverMessages as t } from './messages.en.ts';

export interface PastHandOversProps {
  readonly zone: string;
  readonly now: Ms;
}

const PAGE = 50;

/** All hand-overs on this device, newest first. */
export function PastHandOvers({ zone, now }: PastHandOversProps) {
  const shifts = useWatch('shifts', EMPTY);
  const companies = useWatch('companies', EMPTY);
  const [max, setMax] = useState(PAGE);
  if (shifts === undefined || companies === undefined)
    return (
      <DelayedFallback>
        <PageLoading />
      </DelayedFallback>
    );
  if (shifts.length === 0) {
    return (
      <Notice icon="users" level={2} title={t.none}>
        <p className="m-0 text-balance">{t.noneHint}</p>
      </Notice>
    );
  }
  const names = new Map(companies.map(({ n, name }) => [n, name]));
  return (
    <>
      <ol className="m-0 list-none p-0" aria-label={t.handOvers}>
        {shifts.slice(0, max).map((one) => (
          <li key={one.id} className="border-b border-hair px-5 py-3">
            <Past one={one} names={names} zone={zone} now={now} />
          </li>
        ))}
      </ol>
      {shifts.length > max && (
        <div className="px-5 py-3">
          <Button onClick={() => setMax(max + PAGE)}>
            {t.showMore({ count: formatCount(Math.min(PAGE, shifts.length - max)) })}
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
  const named = formatList(
    one.open.slice(0, NAMED).map(({ company, problems }) =>
      t.companyProblems({
        company: names.get(company) ?? t.companyNumber({ id: company }),
        count: formatCount(problems),
      }),
    ),
    'plain',
  );
  const rest = one.open.length - NAMED;
  const sums = {
    cleared: formatCount(one.cleared),
    total: formatCount(one.of),
    open: all,
    snoozed: formatCount(one.snoozed),
  };
  return (
    <div className="grid gap-x-6 gap-y-0.5 tablet:grid-cols-[220px_minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <b className="block truncate" data-tip={one.name}>
          {one.name === '' ? t.unknownUser : one.name}
        </b>
        <time className="text-agate text-ink-3" data-tip={formatUtc(one.at)}>
          {formatWhen(one.at, zone)}, {formatAge(one.at, now)}
        </time>
      </div>
      <div className="min-w-0">
        <p className="m-0">
          {one.ending.length > 0
            ? t.summaryWithEnding({ summary: t.summary(sums), ending: one.ending.length })
            : t.summary(sums)}
        </p>
        {named.length > 0 && (
          <p className="m-0 break-words text-agate text-ink-3">
            {rest > 0 ? t.companiesAndMore({ companies: named, count: rest }) : named}
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
        {t.openList}
      </SectionLink>
    </div>
  );
}

const EMPTY = {};
