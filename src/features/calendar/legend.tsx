import { FORM_WORDS, LEGEND } from './labels.ts';
import type { Form } from './labels.ts';

/** Legend of the marks. */
export function CalendarLegend({ forms = LEGEND }: { readonly forms?: readonly Form[] }) {
  return (
    <ul aria-label="Legend" className="cal-legend">
      {forms.map((form) => (
        <li key={form}>
          <i aria-hidden className="cal-cell" data-form={form} />
          {FORM_WORDS[form]}
        </li>
      ))}
    </ul>
  );
}
