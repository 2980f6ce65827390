import { Suspense, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { lazyDialog } from '../../../ui/lazy-dialog.ts';
import type { DayRule, Span } from './dates.ts';
import { SHORTCUTS, spanKey, spanLabel, spanOfKey } from './dates.ts';
import { spanMessages as t } from './messages.en.ts';

const RangeDialog = lazyDialog(async () => (await import('./range-dialog.tsx')).RangeDialog);

export interface SpanChoiceProps {
  readonly span: Span;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly onSpan: (span: Span, at?: number) => void;
}

/** Period of a list or report: presets, custom dates, or a number of days. */
export function SpanChoice({ span, rule, now, onSpan }: SpanChoiceProps) {
  const [asking, setAsking] = useState<'range' | 'number' | null>(null);
  const known = SHORTCUTS.some((one) => spanKey(one) === spanKey(span));
  return (
    <>
      <ChipSelect
        name={t.days}
        icon="calendar"
        value={spanKey(span)}
        onChoose={(key, at) => {
          const next = spanOfKey(key);
          if (next) onSpan(next, at);
          else setAsking(key === 'number' ? 'number' : 'range');
        }}
        options={[
          ...SHORTCUTS.map((one) => [spanKey(one), spanLabel(one)] as const),
          ...(known ? [] : [[spanKey(span), spanLabel(span)] as const]),
          ['range', t.chooseDaysOption] as const,
          ['number', t.lastXDaysOption] as const,
        ]}
      />
      {asking !== null && (
        <Suspense>
          <RangeDialog
            by={asking}
            span={span}
            rule={rule}
            now={now}
            onSpan={onSpan}
            onClose={() => setAsking(null)}
          />
        </Suspense>
      )}
    </>
  );
}
