import { useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { WEEKDAYS } from '#contract/backup/schedule.ts';
import { Button } from '#src/ui/button.tsx';
import { daysLabel } from '../labels.ts';
import { jobWizardMessages as t } from './messages.en.ts';

const HOURS = 24;
const WINDOW_HOURS = 7 * HOURS;

/** Sets hours of a window to open or closed. */
export const paint = (window: string, hours: readonly number[], isOpen: boolean): string => {
  const next = window.split('');
  for (const hour of hours) if (hour >= 0 && hour < WINDOW_HOURS) next[hour] = isOpen ? '1' : '0';
  return next.join('');
};

/** The hours from one to another as a rectangle of days and hours. */
export function hoursBetween(from: number, to: number): readonly number[] {
  const [days, hours] = [
    [Math.floor(from / HOURS), Math.floor(to / HOURS)],
    [from % HOURS, to % HOURS],
  ] as const;
  const found: number[] = [];
  for (let day = Math.min(...days); day <= Math.max(...days); day += 1)
    for (let hour = Math.min(...hours); hour <= Math.max(...hours); hour += 1)
      found.push(day * HOURS + hour);
  return found;
}

/** Returns the hour that an arrow key leads to; the edges hold. */
export function stepHour(at: number, key: string): number | null {
  const [day, hour] = [Math.floor(at / HOURS), at % HOURS];
  switch (key) {
    case 'ArrowRight':
      return day * HOURS + Math.min(HOURS - 1, hour + 1);
    case 'ArrowLeft':
      return day * HOURS + Math.max(0, hour - 1);
    case 'ArrowDown':
      return Math.min(6, day + 1) * HOURS + hour;
    case 'ArrowUp':
      return Math.max(0, day - 1) * HOURS + hour;
    default:
      return null;
  }
}

/** The 168 hours of a week: by pointer, one or a rectangle; or by arrow keys and Space. */
export function WindowGrid({
  value,
  error,
  onChange,
}: {
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (next: string) => void;
}) {
  const [at, setAt] = useState(0);
  const [from, setFrom] = useState<{ readonly hour: number; readonly isOpen: boolean } | null>(
    null,
  );
  const grid = useRef<HTMLTableElement>(null);
  const focusHour = (hour: number): void => {
    setAt(hour);
    grid.current?.querySelector<HTMLElement>(`[data-hour="${hour}"]`)?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    const next = stepHour(at, event.key);
    if (next !== null) {
      event.preventDefault();
      if (event.shiftKey) onChange(paint(value, [at, next], value[at] === '1'));
      focusHour(next);
    } else if (event.key === ' ') {
      event.preventDefault();
      onChange(paint(value, [at], value[at] !== '1'));
    }
  };
  return (
    <div className="grid gap-2" {...(error !== null && { 'data-error': '' })}>
      <div className="overflow-x-auto">
        <table ref={grid} aria-label={t.windowGrid} className="border-collapse select-none">
          <thead>
            <tr>
              <th scope="col">
                <span className="sr-only">{t.day}</span>
              </th>
              {Array.from({ length: HOURS }, (_, hour) => (
                <th key={hour} scope="col" className="text-agate font-normal text-ink-3">
                  {hour % 3 === 0 ? hour : <span className="sr-only">{hour}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {WEEKDAYS.map((weekday, day) => (
              <tr key={weekday}>
                <th scope="row" className="pr-3 text-left text-agate font-normal text-ink-2">
                  {daysLabel(weekday)}
                </th>
                {Array.from({ length: HOURS }, (_, hour) => {
                  const index = day * HOURS + hour;
                  const isOpen = value[index] === '1';
                  const word = { day: daysLabel(weekday), hour: `${hour}:00` };
                  return (
                    <td key={hour} className="p-0">
                      <button
                        type="button"
                        data-hour={index}
                        tabIndex={index === at ? 0 : -1}
                        aria-pressed={isOpen}
                        aria-label={isOpen ? t.hourOpen(word) : t.hourClosed(word)}
                        className={`block size-6 border border-sheet focus-visible:relative focus-visible:z-10 ${isOpen ? 'bg-accent' : 'bg-wash outline-1 -outline-offset-2 outline-rule'}`}
                        onPointerDown={(event) => {
                          event.currentTarget.releasePointerCapture(event.pointerId);
                          setAt(index);
                          setFrom({ hour: index, isOpen: !isOpen });
                          onChange(paint(value, [index], !isOpen));
                        }}
                        onKeyDown={onKey}
                        onPointerEnter={({ buttons }) => {
                          if (buttons === 0) setFrom(null);
                          else if (from !== null)
                            onChange(paint(value, hoursBetween(from.hour, index), from.isOpen));
                        }}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="m-0 text-agate text-ink-3 pointer-coarse:hidden">{t.windowKeys}</p>
      {error !== null && <p className="m-0 text-agate text-failed">{error}</p>}
      <span className="flex gap-2">
        <Button size="sm" onClick={() => onChange('1'.repeat(WINDOW_HOURS))}>
          {t.allowAll}
        </Button>
        <Button size="sm" onClick={() => onChange('0'.repeat(WINDOW_HOURS))}>
          {t.allowNone}
        </Button>
      </span>
    </div>
  );
}
