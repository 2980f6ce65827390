import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeTooltip } from '#src/ui/tooltip-place.ts';

const whole = (min: number, max: number) => fc.integer({ min, max });

test('TIP-2: a tooltip is inside the window and does not cover its element if there is room above or below', () => {
  const scene = fc.record({ width: whole(320, 2_000), height: whole(240, 1_200) }).chain((view) =>
    fc.record({
      view: fc.constant(view),
      tip: fc.record({ width: whole(10, 304), height: whole(10, 200) }),
      anchor: fc.record({
        left: whole(-50, view.width),
        top: whole(0, view.height - 10),
        width: whole(1, 600),
        height: whole(1, 60),
      }),
    }),
  );
  fc.assert(
    fc.property(scene, ({ view, tip, anchor }) => {
      const { left, top } = placeTooltip(anchor, tip, view);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left + tip.width).toBeLessThanOrEqual(view.width);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top + tip.height).toBeLessThanOrEqual(view.height);
      const roomAbove = anchor.top;
      const roomBelow = view.height - anchor.top - anchor.height;
      if (Math.max(roomAbove, roomBelow) >= tip.height + 14)
        expect(top + tip.height <= anchor.top || top >= anchor.top + anchor.height).toBe(true);
    }),
  );
});

test('TIP-2: it is above its element, and below one at the top of the window', () => {
  const view = { width: 1_440, height: 900 };
  const tip = { width: 100, height: 24 };
  expect(placeTooltip({ left: 500, top: 400, width: 40, height: 20 }, tip, view)).toEqual({
    left: 470,
    top: 370,
  });
  expect(placeTooltip({ left: 500, top: 10, width: 40, height: 28 }, tip, view)).toEqual({
    left: 470,
    top: 44,
  });
});
