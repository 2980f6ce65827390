import { formatList } from '#contract/i18n/list.ts';
import { cellOfLetter } from '#contract/reports/report.ts';
import type { DayCells } from '#contract/reports/report.ts';
import type { CalendarCell } from '#contract/calendar/calendar.ts';
import { STATE_WORDS } from '#contract/reports/report.messages.en.ts';
import { reportMessages as t } from './messages.en.ts';

const DAY = 11;
const TALL = 14;
const WIDE = 8;

/**
 * Days as in the printed calendar: height and shape show the state, color repeats it. Consecutive
 * days of one state are one dashed line.
 */
export function Marks({
  days,
  cells,
  label,
}: {
  readonly days: number;
  readonly cells: DayCells;
  readonly label: string;
}) {
  const runs: { readonly cell: CalendarCell; readonly at: number; readonly count: number }[] = [];
  for (let at = 0; at < cells.states.length;) {
    let end = at + 1;
    while (end < cells.states.length && cells.states[end] === cells.states[at]) end += 1;
    runs.push({ cell: cellOfLetter(cells.states[at] ?? ''), at, count: end - at });
    at = end;
  }
  return (
    <svg
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn here, so there is no image to load
      role="img"
      aria-label={label}
      width={days * DAY}
      height={TALL}
      viewBox={`0 0 ${days * DAY} ${TALL}`}
      className="block"
    >
      {runs.map((run) => (
        <Run key={run.at} {...run} />
      ))}
    </svg>
  );
}

function Run({
  cell,
  at,
  count,
}: {
  readonly cell: CalendarCell;
  readonly at: number;
  readonly count: number;
}) {
  const x = at * DAY + (DAY - WIDE) / 2;
  const to = x + (count - 1) * DAY + WIDE;
  const dash = `${WIDE} ${DAY - WIDE}`;
  const bar = (bottom: number, height: number, colour: string) => (
    <path
      d={`M${x} ${bottom - height / 2}H${to}`}
      strokeWidth={height}
      stroke={`var(--${colour})`}
      strokeDasharray={dash}
      fill="none"
    />
  );
  switch (cell) {
    case 'Failed':
    case 'Error':
      return bar(TALL - 1, 12, 'failed-mark');
    case 'Running':
      return bar(TALL - 1, 9, 'running-mark');
    case 'Warning':
      return bar(TALL - 1, 7, 'warning-mark');
    case 'Anomaly':
      return (
        <>
          {bar(TALL - 1, 3, 'success-mark')}
          {bar(TALL - 6, 3, 'anomaly-mark')}
        </>
      );
    case 'Success':
      return bar(TALL - 1, 3, 'success-mark');
    case 'off':
      return bar(TALL / 2 + 0.5, 1, 'control');
    case 'Missed':
      return (
        <>
          {Array.from({ length: count }, (_, i) => (
            <rect
              key={i}
              x={x + i * DAY + 0.6}
              y={1.6}
              width={WIDE - 1.2}
              height={TALL - 3.2}
              fill="none"
              stroke="var(--missed-mark)"
              strokeWidth={1.2}
            />
          ))}
        </>
      );
    case null:
      return (
        <path
          d={`M${x + WIDE / 2 - 1} ${TALL / 2}H${to - WIDE / 2 + 1}`}
          strokeWidth={2}
          stroke="var(--rule)"
          strokeDasharray={`2 ${DAY - 2}`}
          fill="none"
        />
      );
  }
}

const LEGEND = ['S', 'W', 'F', 'M', 'A', 'R', '-', 'o'] as const;

export function MarksLegend() {
  return (
    <ul className="m-0 flex list-none flex-wrap gap-x-4 gap-y-1 p-0 text-agate text-ink-2">
      {LEGEND.map((letter) => (
        <li key={letter} className="inline-flex items-center gap-1.5">
          <Marks days={1} cells={{ states: letter, bad: null }} label="" />
          {getWord(letter)}
        </li>
      ))}
    </ul>
  );
}

const getWord = (letter: string): string => {
  const cell = cellOfLetter(letter);
  return cell === null ? t.notDue : STATE_WORDS[cell];
};

/** `28 Success, 2 Failed`: the screen reader label of a row. */
export function marksWords({ states }: DayCells): string {
  const counts = new Map<string, number>();
  for (const letter of states) counts.set(getWord(letter), (counts.get(getWord(letter)) ?? 0) + 1);
  return formatList(
    [...counts].map(([word, count]) => `${count} ${word}`),
    'plain',
  );
}
