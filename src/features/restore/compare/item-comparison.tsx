import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatBytes, formatWhen } from '#src/ui/format.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { getReason, useCapabilities } from '../capabilities.ts';
import { type ComparedRow, PropertyTable } from '../versions/property-table.tsx';
import { TextDifference } from '../versions/text-difference.tsx';
import type { ItemNode } from '../workload.ts';
import { getPropertyLabel, isFileOrRow, ProductionMark } from './state-mark.tsx';
import { compareMessages as t } from './messages.en.ts';

type Compared = OutputOf<'compareWithProduction'>;

/** Kinds of items that Microsoft 365 is asked for one by one. */
const KINDS: readonly ItemNode['kind'][] = [
  'mail',
  'event',
  'contact',
  'task',
  'file',
  'row',
  'post',
];
export const isComparable = ({ kind }: Pick<ItemNode, 'kind'>): boolean => KINDS.includes(kind);

/** Opens a comparison of an item with what Microsoft 365 has now. */
export function ItemComparison({
  session,
  item,
  pointAt,
}: {
  readonly session: string;
  readonly item: ItemNode;
  /** When the restore point was made. */
  readonly pointAt: number;
}) {
  const { compare: canCompare } = useCapabilities();
  const [isOn, setIsOn] = useState(false);
  return (
    <section className="flex flex-wrap items-center gap-3 px-4 pb-4 tablet:px-5">
      <Button size="sm" icon="compare" onClick={() => setIsOn(true)} {...getReason(canCompare)}>
        {t.compare}
      </Button>
      <span className="text-agate text-ink-3">{t.hint}</span>
      {isOn && (
        <ComparisonDialog
          session={session}
          item={item}
          pointAt={pointAt}
          onClose={() => setIsOn(false)}
        />
      )}
    </section>
  );
}

function ComparisonDialog({
  session,
  item,
  pointAt,
  onClose,
}: {
  readonly session: string;
  readonly item: ItemNode;
  readonly pointAt: number;
  readonly onClose: () => void;
}) {
  const zone = useZone();
  const isTablet = useIsTablet();
  const { value, failure, again } = useQuery('compareWithProduction', {
    restoreSessionId: session,
    itemId: item.id,
  });
  return (
    <Dialog title={t.title} place={isTablet ? 'middle' : 'bottom'} wide onClose={onClose}>
      <div className="grid gap-4 px-5 py-3">
        {failure !== null &&
          // What was imported has nothing to compare it with, however often it is tried.
          (failure.kind === 'conflict' ? (
            <output className="block text-ink-2">{getFailureText(failure)}</output>
          ) : (
            <RetryCallout failure={failure} onRetry={again}>
              {getFailureText(failure)}
            </RetryCallout>
          ))}
        {value === null && failure === null && (
          <output className="block text-ink-3">{t.comparing}</output>
        )}
        {value !== null && (
          <>
            <output className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <ProductionMark state={value.state} />
              <span className="text-ink-2">{HINTS[value.state]}</span>
            </output>
            <PropertyTable
              before={t.backup({ when: formatWhen(pointAt, zone) })}
              after={t.production}
              rows={getRows(value, isFileOrRow(item.kind), zone)}
            />
            <Content compared={value} />
          </>
        )}
      </div>
    </Dialog>
  );
}

const HINTS: Readonly<Record<Compared['state'], string>> = {
  same: t.sameHint,
  changed: t.changedHint,
  moved: t.movedHint,
  deleted: t.deletedHint,
};

const getRows = (
  { state, properties }: Compared,
  isFile: boolean,
  zone: string,
): readonly ComparedRow[] =>
  properties.map(({ name, backup, production, isSame }) => ({
    name: getPropertyLabel(name, isFile),
    before: getText(name, backup, zone),
    after: state === 'deleted' ? '' : getText(name, production, zone),
    isSame,
  }));

function Content({ compared: { state, content, lines, reason } }: { readonly compared: Compared }) {
  if (state === 'deleted' || content === 'same') return null;
  if (content === 'hidden') return <p className="m-0 text-ink-2">{t.hiddenContent}</p>;
  return <TextDifference difference={{ isSameContent: false, lines, reason }} />;
}

function getText(
  name: Compared['properties'][number]['name'],
  value: string,
  zone: string,
): string {
  switch (name) {
    case 'date':
    case 'changed':
      return Number(value) === 0 ? '' : formatWhen(Number(value), zone);
    case 'size':
      return formatBytes(Number(value));
    case 'read':
    case 'completed':
    case 'flagged':
    case 'draft':
      return value === 'true' ? t.yes : t.no;
    case 'importance':
      return value === 'low' ? t.low : value === 'high' ? t.high : t.normal;
    default:
      return value;
  }
}
