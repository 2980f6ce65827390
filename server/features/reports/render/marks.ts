import type { ContentCanvas, CanvasElement } from 'pdfmake/interfaces.js';
import { cellOfLetter } from '#contract/reports/report.ts';
import type { CalendarCell } from '#contract/calendar/calendar.ts';
import { PAPER } from './theme.ts';
import { STATE_WORDS } from '#contract/reports/report.messages.en.ts';
import { reportMessages as t } from '../messages.en.ts';
import { WHITE } from '#contract/branding/palette.ts';

/** The height of a row of marks. */
const TALL = 9;

/**
 * Draws days as marks, as in the portal: height and shape show the state, and color repeats it.
 * Full: failed; hollow: did not run; three quarters: running; over half: warning; a cap over a
 * dash: anomaly; a low dash: success; a dot: not due; a thin line: disabled. Consecutive days of
 * one state are one dashed line, because a calendar of 10,000 jobs has 300,000 marks.
 */
export function renderMarks(states: string, day: number): ContentCanvas {
  const canvas: CanvasElement[] = [];
  for (let at = 0; at < states.length;) {
    let end = at + 1;
    while (end < states.length && states[end] === states[at]) end += 1;
    draw(canvas, cellOfLetter(states[at] ?? ''), at, end - at, day);
    at = end;
  }
  // The size of a cell comes from its content.
  return {
    canvas: [
      ...canvas,
      {
        type: 'rect',
        x: 0,
        y: 0,
        w: states.length * day,
        h: TALL,
        lineWidth: 0,
        strokeOpacity: 0,
        fillOpacity: 0,
        lineColor: WHITE,
      },
    ],
  };
}

function draw(
  canvas: CanvasElement[],
  cell: CalendarCell,
  at: number,
  days: number,
  day: number,
): void {
  const wide = day - 2.5;
  const x = at * day + 1.25;
  const bar = (bottom: number, height: number, color: string): void => {
    const y = bottom - height / 2;
    canvas.push({
      type: 'line',
      x1: x,
      x2: x + (days - 1) * day + wide,
      y1: y,
      y2: y,
      lineWidth: height,
      lineColor: color,
      ...(days > 1 && { dash: { length: wide, space: day - wide } }),
    });
  };
  switch (cell) {
    case 'Failed':
    case 'Error':
      return bar(TALL, TALL, PAPER.failedMark);
    case 'Running':
      return bar(TALL, 6.5, PAPER.runningMark);
    case 'Warning':
      return bar(TALL, 5, PAPER.warningMark);
    case 'Anomaly':
      bar(TALL, 2, PAPER.successMark);
      return bar(TALL - 3.5, 2, PAPER.anomalyMark);
    case 'Success':
      return bar(TALL, 2, PAPER.successMark);
    case 'off':
      return bar(TALL / 2 + 0.25, 0.5, PAPER.off);
    case 'Missed':
      for (let i = 0; i < days; i += 1)
        canvas.push({
          type: 'rect',
          x: x + i * day + 0.4,
          y: 0.4,
          w: wide - 0.8,
          h: TALL - 0.8,
          lineWidth: 0.8,
          lineColor: PAPER.missed,
        });
      return;
    case null: {
      const dot = 1.2;
      const y = TALL / 2;
      const from = x + (wide - dot) / 2;
      canvas.push({
        type: 'line',
        x1: from,
        x2: from + (days - 1) * day + dot,
        y1: y,
        y2: y,
        lineWidth: dot,
        lineColor: PAPER.off,
        ...(days > 1 && { dash: { length: dot, space: day - dot } }),
      });
    }
  }
}

/** In the order of the portal's legend. */
export const legend = (): readonly { readonly letter: string; readonly word: string }[] => [
  { letter: 'S', word: STATE_WORDS.Success },
  { letter: 'W', word: STATE_WORDS.Warning },
  { letter: 'F', word: STATE_WORDS.Failed },
  { letter: 'M', word: STATE_WORDS.Missed },
  { letter: 'A', word: STATE_WORDS.Anomaly },
  { letter: 'R', word: STATE_WORDS.Running },
  { letter: '-', word: t.notDue },
  { letter: 'o', word: STATE_WORDS.off },
];
