import { useState } from 'react';
import type { Day } from '#contract/ids.ts';
import type { TrendBy, TrendPart, Trends } from '#contract/analytics/trends.ts';
import type { JobType } from '#contract/runs/vocabulary.ts';
import { Button } from '#src/ui/button.tsx';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Spark } from '#src/ui/charts/spark.tsx';
import { Tabs } from '#src/ui/tabs.tsx';
import { TYPE_WORDS } from '../../shared/runs/labels.ts';
import { moreOrFewer } from '../../shared/charts/deltas.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { BYS, drillAddress } from './address.ts';
import type { TrendsPlace } from './address.ts';
import { bucketed } from './buckets.ts';
import { BAD, FAILED, WARNED } from './labels.ts';
import { trendMessages as t } from './messages.en.ts';

interface PartsProps {
  readonly place: TrendsPlace;
  readonly trends: Trends;
  readonly days: readonly [Day, Day];
  readonly compared: boolean;
  readonly canOpen: boolean;
  readonly onBy: (by: TrendBy) => void;
}

const WORDS: Readonly<Record<TrendBy, string>> = {
  company: t.byCompany,
  type: t.byType,
  source: t.bySource,
};
const CAPTIONS: Readonly<Record<TrendBy, string>> = {
  company: t.captionCompany,
  type: t.captionType,
  source: t.captionSource,
};
const AT_FIRST = 25;
const MORE = 200;

/**
 * Failures and warnings by company, source or type, highest first, each with its trend line and
 * change.
 */
export function Parts({ place, trends, days, compared, canOpen, onBy }: PartsProps) {
  const [max, setMax] = useState(AT_FIRST);
  const parts = trends.parts[place.by];
  const shown = parts.slice(0, max);
  const traces = new Map(
    trends.series.map(({ key, failures, warnings }) => [
      key,
      bucketed(
        failures.map((one, i) => one + (warnings[i] ?? 0)),
        trends.days,
      ),
    ]),
  );
  return (
    <Tabs
      label={t.groupBy}
      chosen={place.by}
      onChoose={(by) => {
        setMax(AT_FIRST);
        onBy(by);
      }}
      tabs={BYS.map((key) => ({ key, label: WORDS[key], count: trends.parts[key].length }))}
    >
      <div className="overflow-x-auto">
        <table className="w-full border-collapse">
          <caption className="sr-only">{CAPTIONS[place.by]}</caption>
          <thead>
            <tr className="text-agate text-ink-3">
              <th scope="col" className="py-1.5 pr-3 text-left font-normal">
                {place.by === 'company' ? t.company : place.by === 'type' ? t.type : t.source}
              </th>
              <th scope="col" className="w-32 px-3 text-left font-normal max-tablet:hidden">
                {t.overTime}
              </th>
              <th scope="col" className="w-28 px-3 text-right font-normal">
                {t.failed}
              </th>
              <th scope="col" className="w-28 px-3 text-right font-normal">
                {t.warning}
              </th>
              <th scope="col" className="w-28 pl-3 text-right font-normal max-tablet:hidden">
                {t.results}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((part) => (
              <tr key={part.key} className="border-t border-hair align-top">
                <th scope="row" className="max-w-0 py-1.5 pr-3 text-left font-normal">
                  <Linked
                    part={part}
                    by={place.by}
                    href={
                      canOpen
                        ? drillAddress(place, days, BAD, { by: place.by, key: part.key })
                        : null
                    }
                  />
                </th>
                <td className="px-3 py-1.5 max-tablet:hidden">
                  {traces.has(part.key) && (
                    <Spark values={traces.get(part.key) ?? []} width={112} height={20} />
                  )}
                </td>
                <Figure
                  count={part.now.failed}
                  before={compared ? part.before.failed : null}
                  href={
                    canOpen
                      ? drillAddress(place, days, FAILED, { by: place.by, key: part.key })
                      : null
                  }
                  label={t.failedOf({
                    name: getName(part, place.by),
                    count: formatCount(part.now.failed),
                  })}
                />
                <Figure
                  count={part.now.warning}
                  before={compared ? part.before.warning : null}
                  href={
                    canOpen
                      ? drillAddress(place, days, WARNED, { by: place.by, key: part.key })
                      : null
                  }
                  label={t.warningsOf({
                    name: getName(part, place.by),
                    count: part.now.warning,
                  })}
                />
                <td className="py-1.5 pl-3 text-right tabular-nums text-ink-2 max-tablet:hidden">
                  {formatCount(part.now.runs)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {parts.length > max && (
        <div className="py-3">
          <Button onClick={() => setMax(max + MORE)}>
            {t.showMore({ count: Math.min(MORE, parts.length - max) })}
          </Button>
        </div>
      )}
    </Tabs>
  );
}

const getName = ({ key, name }: TrendPart, by: TrendBy): string =>
  by === 'type' ? TYPE_WORDS[key as JobType] : name;

function Linked({
  part,
  by,
  href,
}: {
  readonly part: TrendPart;
  readonly by: TrendBy;
  readonly href: string | null;
}) {
  const name = getName(part, by);
  return href === null ? (
    <span className="block truncate" data-tip={name}>
      {name}
    </span>
  ) : (
    <SectionLink
      href={href}
      data-tip={name}
      className="block truncate hover:underline pointer-coarse:leading-[44px]"
    >
      {name}
    </SectionLink>
  );
}

interface FigureProps {
  readonly count: number;
  readonly before: number | null;
  readonly href: string | null;
  readonly label: string;
}

/** A count that links to its results, with the change below it. */
function Figure({ count, before, href, label }: FigureProps) {
  const delta = before === null ? null : moreOrFewer(count - before);
  return (
    <td className="px-3 py-1.5 text-right whitespace-nowrap tabular-nums">
      {href === null || count === 0 ? (
        formatCount(count)
      ) : (
        <SectionLink
          href={href}
          aria-label={label}
          className="font-semibold hover:underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
        >
          {formatCount(count)}
        </SectionLink>
      )}
      {delta !== null && delta.way !== null && (
        <span className="flex items-center justify-end gap-1 text-agate text-ink-3">
          <Icon
            name={delta.way === 'up' ? 'chevron-up' : 'chevron-down'}
            size={12}
            className={delta.tone === 'good' ? 'text-success' : 'text-failed'}
          />
          {delta.label}
        </span>
      )}
    </td>
  );
}
