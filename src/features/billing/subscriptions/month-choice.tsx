import type { Day } from '#contract/ids.ts';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatMonth } from '../../shared/format-month.ts';
import { listMonths, type MonthPlace } from './address.ts';
import { subscriptionMessages as t } from './messages.en.ts';

/** Chooses the month of a list of subscriptions, among the last ones and the open one. */
export function MonthChoice({
  place,
  today,
  onChoose,
}: {
  readonly place: MonthPlace;
  readonly today: Day;
  readonly onChoose: (month: MonthPlace) => void;
}) {
  return (
    <ChipSelect
      name={t.month}
      icon="calendar"
      value={`${place.year}-${place.month}`}
      options={listMonths(today, place).map(({ year, month }) => [
        `${year}-${month}`,
        formatMonth(year, month),
      ])}
      onChoose={(chosen) => {
        const [year = place.year, month = place.month] = chosen.split('-').map(Number);
        onChoose({ year, month });
      }}
    />
  );
}
