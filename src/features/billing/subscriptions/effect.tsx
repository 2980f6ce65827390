import type { InputOf } from '#contract/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { formatMonth } from '../../shared/format-month.ts';
import { moneyWords } from '../labels.ts';
import { subscriptionMessages as t } from './messages.en.ts';

/** What an operation does to the amount per month, from when, and until when it can be undone. */
export function Effect({
  input,
  zone,
}: {
  readonly input: InputOf<'previewSubscription'>;
  readonly zone: string;
}) {
  const { value, failure } = useQuery('previewSubscription', input);
  if (failure !== null) return <Callout tone="failed">{getFailureText(failure)}</Callout>;
  if (value === null) return <p className="m-0 text-ink-2">{t.calculating}</p>;
  const { currency } = value;
  const isUnchanged =
    value.monthlyAfterMills === value.monthlyBeforeMills && value.currencyAfter === currency;
  return (
    <dl
      aria-label={t.effect}
      aria-live="polite"
      className="m-0 grid grid-cols-[minmax(0,1fr)_auto] border-t-2 border-head-rule [&>*]:border-b [&>*]:border-hair [&>*]:py-1.5 [&>dd]:m-0 [&>dd]:text-right [&>dd]:tabular-nums [&>dt]:text-ink-2"
    >
      <dt>
        {value.usageMonth === null
          ? t.effectMoneyToday
          : t.effectMoney({ month: formatMonth(value.usageMonth.year, value.usageMonth.month) })}
      </dt>
      <dd>
        {isUnchanged
          ? moneyWords(value.monthlyAfterMills, currency)
          : t.fromTo({
              before: moneyWords(value.monthlyBeforeMills, currency),
              after: moneyWords(value.monthlyAfterMills, value.currencyAfter),
            })}
      </dd>
      {value.forgivenMills > 0 && (
        <>
          <dt>{t.effectForgiven}</dt>
          <dd>{moneyWords(value.forgivenMills, currency)}</dd>
        </>
      )}
      <dt>{t.effectFrom}</dt>
      <dd>{formatWhen(value.effectiveAt, zone)}</dd>
      <dt>{t.effectUndo}</dt>
      <dd>
        {value.undoableUntil === null
          ? t.never
          : t.until({ when: formatWhen(value.undoableUntil, zone) })}
      </dd>
    </dl>
  );
}
