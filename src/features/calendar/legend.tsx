import { formLabel, LEGEND } from './labels.ts';
import type { CellForm } from './labels.ts';
import { calendarMessages as t } from './messages.en.ts';

/** Legend of the marks. */
export function CalendarLegend({ forms = LEGEND }: { readonly forms?: readonly CellForm[] }) {
  return (
    <ul aria-label={t.legend} className="cal-legend">
      {forms.map((form) => (
        <li key={form}>
          <i aria-hidden className="cal-cell" data-form={form} />
          {formLabel(form)}
        </li>
      ))}
    </ul>
  );
}
