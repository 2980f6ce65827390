import { Suspense, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import {
  SPAN_UNITS,
  spanKey,
  spanLabel,
  spanOfKey,
} from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { invoiceMessages as t } from './messages.en.ts';

const RangeDialog = lazyDialog(
  async () => (await import('#src/features/shared/date-range/range-dialog.tsx')).RangeDialog,
);

/** Periods to choose from. Invoices are monthly. */
const SHOWN: readonly Span[] = [
  ...SPAN_UNITS.flatMap((unit): Span[] => [
    { kind: 'this', unit },
    { kind: 'before', unit },
  ]),
  { kind: 'last', days: 30 },
  { kind: 'last', days: 90 },
];

/** Invoice period: all, a month, a quarter, a year, or custom days. */
export function Period({
  span,
  zone,
  now,
  onSpan,
}: {
  readonly span: Span | null;
  readonly zone: string;
  readonly now: Ms;
  readonly onSpan: (span: Span | null) => void;
}) {
  const [asking, setAsking] = useState(false);
  const key = span === null ? '' : spanKey(span);
  return (
    <>
      <ChipSelect
        name={t.period}
        icon="calendar"
        value={key}
        onChoose={(chosen) => {
          if (chosen === 'range') setAsking(true);
          else onSpan(spanOfKey(chosen));
        }}
        options={[
          ['', t.allTime],
          ...SHOWN.map((one) => [spanKey(one), spanLabel(one)] as const),
          ...(span === null || SHOWN.some((one) => spanKey(one) === key)
            ? []
            : [[key, spanLabel(span)] as const]),
          ['range', t.customPeriod],
        ]}
      />
      {asking && (
        <Suspense>
          <RangeDialog
            by="range"
            span={span ?? { kind: 'this', unit: 'month' }}
            rule={{ zone, hour: 0 }}
            now={now}
            onSpan={onSpan}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
    </>
  );
}
