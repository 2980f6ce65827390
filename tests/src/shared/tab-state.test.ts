import { expect, test } from 'vitest';
import { leftAt, throughTab } from '#src/features/shared/lists/tab-state.ts';

test('LIST-2: the tab of a list leads back to it as it was left, search and filters, for the same user', () => {
  expect(leftAt('ann', 'results')).toBe(null);
  expect(throughTab('ann', 'results', 'state=Failed&q=hv02', 'disabled')).toBe(
    '/monitoring/daily-checks/disabled-jobs',
  );
  expect(throughTab('ann', 'disabled', 'q=old', 'computers')).toBe(
    '/monitoring/daily-checks/computers',
  );
  expect(throughTab('ann', 'computers', '', 'results')).toBe(
    '/monitoring/daily-checks?state=Failed&q=hv02',
  );
  expect(throughTab('ann', 'results', '', 'disabled')).toBe(
    '/monitoring/daily-checks/disabled-jobs?q=old',
  );
  expect(throughTab('ann', 'disabled', '', 'results')).toBe('/monitoring/daily-checks');
  expect(throughTab('bob', 'results', '', 'disabled')).toBe(
    '/monitoring/daily-checks/disabled-jobs',
  );
  expect([leftAt('ann', 'disabled'), leftAt('bob', 'disabled')]).toEqual(['', null]);
});
