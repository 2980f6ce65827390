import { expect, test } from 'vitest';
import { getGlance, spokenSync } from '#src/app/shell/sync-status/labels.ts';
import type { SyncStatus } from '#workers/api.ts';

const at = Date.UTC(2026, 10, 20, 13, 46);
const live: SyncStatus = {
  kind: 'live',
  syncedAt: at,
  offlineSince: null,
  left: 0,
  waiting: 0,
  refused: 0,
  partly: 0,
  follower: false,
  storage: 'persisted',
  error: null,
  reload: false,
};
const words = (more: Partial<SyncStatus>, now = at): string => {
  const { lead, rest } = getGlance({ ...live, ...more }, 'America/Chicago', now);
  return rest === '' ? lead : `${lead}, ${rest}`;
};

test('PAGE-5: the sync state is shown in short, worst first, and waiting or refused changes are never left out', () => {
  expect(words({})).toBe('Live, synced 07:46 AM');
  expect(words({ waiting: 3 })).toBe('Live, 3 waiting');
  expect(words({ refused: 1, waiting: 2 })).toBe('Live, 1 not accepted, 2 waiting');
  expect(words({ partly: 1 })).toBe('Live, 1 accepted in part');
  expect(words({ kind: 'catching-up', left: 1_204 })).toBe('Catching up, 1,204 left');
  expect(words({ kind: 'offline', offlineSince: at, waiting: 3 })).toBe(
    'Offline since 07:46 AM, 3 waiting',
  );
  expect(words({ kind: 'offline', offlineSince: null, syncedAt: null })).toBe('Offline');
  expect(words({ kind: 'update-needed', waiting: 1 })).toBe('New version, reload, 1 waiting');
  expect(words({ reload: true, kind: 'offline' })).toBe('New version, reload');
  expect(words({ storage: 'full' })).toBe("Device full, changes can't be saved");
  expect(words({ storage: 'memory' })).toBe('Live, not stored on this device');
});

test("OFF-1: offline it shows the time of the rows, if that isn't when the network went", () => {
  const hour = 3_600_000;
  expect(words({ kind: 'offline', offlineSince: at + 59_000 })).toBe('Offline since 07:46 AM');
  expect(words({ kind: 'offline', offlineSince: at + 2 * hour })).toBe(
    'Offline since 09:46 AM, data of 07:46 AM',
  );
  expect(words({ kind: 'offline', offlineSince: at + 24 * hour, waiting: 2 })).toBe(
    'Offline since 07:46 AM, 2 waiting, data of 11/20/26 07:46 AM',
  );
  expect(words({ kind: 'offline', offlineSince: at, syncedAt: null })).toBe(
    'Offline since 07:46 AM',
  );
  expect(spokenSync({ ...live, kind: 'offline', offlineSince: at + 24 * hour }, 'UTC', at)).toBe(
    'Offline since 01:46 PM',
  );
});

test('PAGE-5: a refusal is trouble even while all else is well', () => {
  expect(getGlance({ ...live, refused: 1 }, 'UTC', at)).toMatchObject({
    tone: 'trouble',
    icon: 'warning',
  });
  expect(getGlance({ ...live, partly: 1 }, 'UTC', at)).toMatchObject({
    tone: 'trouble',
    icon: 'warning',
  });
  expect(getGlance(live, 'UTC', at).tone).toBe('well');
});

test("PAGE-5: a screen reader doesn't announce the passing of time", () => {
  expect(spokenSync(live, 'UTC', at)).toBe(
    spokenSync({ ...live, syncedAt: at + 3_600_000 }, 'UTC', at),
  );
  expect(spokenSync({ ...live, kind: 'offline', offlineSince: at, waiting: 1 }, 'UTC', at)).toBe(
    'Offline since 01:46 PM, 1 change waiting',
  );
});

test('OFF-7: a server with bad answers is not reported as offline', () => {
  expect(words({ kind: 'server-trouble', offlineSince: at })).toBe('Server trouble since 07:46 AM');
  expect(words({ kind: 'server-trouble', offlineSince: at + 7_200_000, waiting: 2 })).toBe(
    'Server trouble since 09:46 AM, 2 waiting, data of 07:46 AM',
  );
  expect(getGlance({ ...live, kind: 'server-trouble' }, 'UTC', at)).toMatchObject({
    tone: 'trouble',
    icon: 'warning',
  });
  expect(
    spokenSync({ ...live, kind: 'server-trouble', offlineSince: at, waiting: 1 }, 'UTC', at),
  ).toBe('Server trouble since 01:46 PM, 1 change waiting');
});

test('OFF-1: a day after the last answer, the time has its date', () => {
  const day = 24 * 3_600_000;
  const away = { kind: 'offline', offlineSince: at } as const;
  expect(words(away, at + day - 1)).toBe('Offline since 07:46 AM');
  expect(words(away, at + day)).toBe('Offline since 11/20/26 07:46 AM');
  expect(words({ ...away, kind: 'server-trouble' }, at + day)).toBe(
    'Server trouble since 11/20/26 07:46 AM',
  );
});
