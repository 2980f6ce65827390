import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TOP, topOfToasts } from '#src/ui/toast-place.ts';
import { startToastTimer } from '#src/ui/toast-timer.ts';
import { clearToasts, showSuccess, showFailure, showInfo, toasts } from '#src/ui/toasts.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  clearToasts();
  vi.useRealTimers();
});

test('TOAST-1: a success lasts 3.5 s, an error and an information 5 s, and with 0 it stays', () => {
  showSuccess('Saved');
  showFailure('It failed');
  showInfo('On its way');
  showInfo('Read this', 0);
  expect(toasts.now().map(({ tone, lastsMs }) => [tone, lastsMs])).toEqual([
    ['done', 3_500],
    ['failed', 5_000],
    ['info', 5_000],
    ['info', 0],
  ]);
});

test('TOAST-1: its time is up to the millisecond, and a time of 0 never is', () => {
  const ended: string[] = [];
  startToastTimer(5_000, () => ended.push('info'));
  startToastTimer(0, () => ended.push('stays')).release();
  vi.advanceTimersByTime(4_999);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['info']);
  vi.advanceTimersByTime(86_400_000);
  expect(ended).toEqual(['info']);
});

test('TOAST-2: its timer pauses while it is held, with at least a second left afterwards', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          runs: fc.integer({ min: 0, max: 900 }),
          held: fc.integer({ min: 0, max: 20_000 }),
        }),
        { maxLength: 6 },
      ),
      (steps) => {
        let ended = false;
        let left = 5_000;
        const timer = startToastTimer(5_000, () => {
          ended = true;
        });
        for (const { runs, held } of steps) {
          vi.advanceTimersByTime(runs);
          left -= runs;
          if (left <= 0) break;
          timer.hold();
          timer.hold();
          left = Math.max(left, 1_000);
          vi.advanceTimersByTime(held);
          expect(ended).toBe(false);
          timer.release();
          timer.release();
        }
        if (left > 0) {
          vi.advanceTimersByTime(left - 1);
          expect(ended).toBe(false);
          vi.advanceTimersByTime(1);
        }
        expect(ended).toBe(true);
        timer.stop();
      },
    ),
  );
});

const whole = (min: number, max: number) => fc.integer({ min, max });

test('TOAST-3: messages do not cover the pressed control, and are at the top if it is elsewhere', () => {
  const scene = fc
    .record({ width: whole(320, 1_900), height: whole(400, 1_200), tall: whole(44, 180) })
    .chain((view) =>
      fc.record({
        view: fc.constant(view),
        pressed: fc.record({
          left: whole(0, view.width - 20),
          top: whole(0, view.height - 20),
          width: whole(20, 300),
          height: whole(20, 44),
        }),
      }),
    );
  fc.assert(
    fc.property(scene, ({ view, pressed }) => {
      const width = Math.min(400, view.width - 24);
      const messages = { left: view.width - 12 - width, top: 0, width, height: view.tall };
      const top = topOfToasts(messages, pressed, view.height);
      const isApart = (at: number): boolean =>
        at + view.tall <= pressed.top ||
        at >= pressed.top + pressed.height ||
        messages.left >= pressed.left + pressed.width ||
        messages.left + width <= pressed.left;
      const places = Array.from({ length: view.height - view.tall + 1 }, (_, at) => at);
      expect(isApart(top)).toBe(places.some(isApart));
      expect(top >= 0 && top + view.tall <= view.height).toBe(true);
    }),
    {
      examples: [
        // Was once covered: below it there is room, but less than with a gap.
        [
          {
            view: { width: 1_559, height: 404, tall: 180 },
            pressed: { left: 1_125, top: 178, width: 23, height: 39 },
          },
        ],
        // A window in which they fit neither above nor below.
        [
          {
            view: { width: 500, height: 400, tall: 180 },
            pressed: { left: 300, top: 178, width: 23, height: 44 },
          },
        ],
      ],
    },
  );
  const messages = { left: 1_028, top: 0, width: 400, height: 44 };
  expect(topOfToasts(messages, null, 900)).toBe(TOP);
  expect(topOfToasts(messages, { left: 20, top: 10, width: 100, height: 32 }, 900)).toBe(TOP);
  expect(topOfToasts(messages, { left: 1_380, top: 14, width: 28, height: 28 }, 900)).toBe(50);
});
