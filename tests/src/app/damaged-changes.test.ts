import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DamagedList } from '#src/app/shell/sync-status/rejected-list.tsx';

test('OUT-5: a change that was damaged on the device is listed with its number and the reason, and can only be dismissed', () => {
  const html = renderToStaticMarkup(
    createElement(DamagedList, {
      changes: [2, 5].map((number) => ({
        id: `c${number}`,
        what: `Change ${number} of this device`,
        why: "Damaged on this device. It can't be sent.",
      })),
    }),
  );
  const items = html.split('</li>').filter((item) => item !== '');
  const words = items.map((item) => item.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '));
  expect(words.map((one) => one.trim().replaceAll('&#x27;', "'"))).toEqual([
    "Change 2 of this device Damaged on this device. It can't be sent. Dismiss",
    "Change 5 of this device Damaged on this device. It can't be sent. Dismiss",
  ]);
  for (const item of items) expect(item.match(/<button/g)).toHaveLength(1);
});
