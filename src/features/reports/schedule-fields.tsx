import { Combobox } from '#src/ui/combobox.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import type { ReportForm } from './form.ts';
import { WEEKDAY_NAMES } from './labels.ts';
import { reportMessages as t } from './messages.en.ts';

/** When a report is due. */
export function ScheduleFields({
  form,
  error,
  onChange,
}: {
  readonly form: ReportForm;
  readonly error: string | null;
  readonly onChange: (next: Partial<ReportForm>) => void;
}) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Select
          label={t.frequency}
          block
          value={form.every}
          options={EVERY}
          onChange={(every) => onChange({ every })}
        />
        {form.every === 'week' && (
          <Select
            label={t.day}
            block
            value={String(form.weekday)}
            options={WEEKDAY_NAMES.map((label, i) => ({ value: String(i + 1), label }))}
            onChange={(day) => onChange({ weekday: Number(day) })}
          />
        )}
        {form.every === 'month' && (
          <Select
            label={t.day}
            block
            value={String(form.day)}
            options={DAYS}
            onChange={(day) => onChange({ day: Number(day) })}
          />
        )}
      </div>
      <TextField
        label={t.at}
        type="time"
        value={form.at}
        error={error}
        onChange={({ target }) => onChange({ at: target.value.slice(0, 5) })}
      />
      <Combobox
        label={t.timeZone}
        value={form.timeZone}
        options={zones(form.timeZone)}
        onChange={(timeZone) => onChange({ timeZone })}
      />
    </>
  );
}

const EVERY = [
  { value: 'day', label: t.everyDay },
  { value: 'week', label: t.everyWeek },
  { value: 'month', label: t.everyMonth },
] as const;
const DAYS = [...Array.from({ length: 28 }, (_, i) => i + 1), 31].map((day) => ({
  value: String(day),
  label: day === 31 ? t.lastDay : t.dayOfMonth({ day }),
}));

let known: readonly { readonly value: string; readonly label: string }[] | null = null;
/** All time zones of this browser, and the current value. */
function zones(set: string): readonly { readonly value: string; readonly label: string }[] {
  known ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }),
  );
  return known.some(({ value }) => value === set) ? known : [{ value: set, label: set }, ...known];
}
