import { beforeEach, expect, test } from 'vitest';
import { settingsHandlers } from '#server/features/branding/settings.ts';
import { keyHandlers } from '#server/features/ingest/ingest-keys.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import { eachDatabase, freshUrl, missing, QUIET } from '../db/databases.ts';
import { anAsk, anExecution, aPlace, DAY, HOUR, iso, NOON, type Place } from './fixtures.ts';
import { missedRunTicks } from '../jobs/ticks.ts';

const MIDNIGHT = Date.parse('2026-03-03T00:00:00Z');

async function setQuota(place: Place, keyBytes: number, providerBytes: number): Promise<void> {
  const { ground: fixture, tenant } = place;
  const set = await settingsHandlers(fixture.context).setProviderSettings(
    { id: tenant, ingestQuota: { keyBytes, providerBytes } },
    anAsk(fixture, tenant),
  );
  expect(set).toMatchObject({
    ok: true,
    value: { settings: { ingestQuota: { keyBytes, providerBytes } } },
  });
}
async function today({
  ground: fixture,
  tenant,
  keyId,
}: Place): Promise<{ bytes: number; limitBytes: number; refusedAt: number | null } | undefined> {
  const keys = await keyHandlers(fixture.context).listKeys({}, anAsk(fixture, tenant));
  return keys.ok ? keys.value.find(({ id }) => id === keyId)?.today : undefined;
}
let n = 0;
/** A result that nobody has posted before. */
const result = (logBytes = 0, more: Record<string, unknown> = {}): Record<string, unknown> =>
  anExecution({
    startTime: iso(NOON - HOUR - 60_000 * ++n),
    endTime: iso(NOON - HOUR - 60_000 * n + 1_000),
    ...(logBytes > 0 && { log: 'x'.repeat(logBytes) }),
    ...more,
  });

eachDatabase((_name, open) => {
  let place: Place;
  beforeEach(async () => {
    place = await aPlace(await open());
  });

  test('ING-17: logs are left out first, with a note; then results are refused until the day ends, and the next day starts at zero', async () => {
    expect(await today(place)).toEqual({ bytes: 0, limitBytes: 1_000_000_000, refusedAt: null });
    await setQuota(place, 100_000, 1_000_000);
    for (const size of [30_000, 30_000, 30_000])
      expect((await place.post('executions', result(size))).status).toBe(200);
    const runs = (await place.all('run')).map((run) => run.n).toSorted((a, b) => a - b);
    const logs = await Promise.all(runs.map((run) => place.log(run)));
    expect(logs.map((log) => log?.length === 30_000)).toEqual([true, true, false]);
    expect(logs[2]).toBe(
      "The log wasn't stored. The daily storage limit for logs was reached on 2026-03-02 (UTC).",
    );
    const used = (await today(place))?.bytes ?? 0;
    expect(used).toBeGreaterThan(60_000);
    expect(used).toBeLessThan(80_000);

    let refused = await place.post('executions', result());
    for (let i = 0; i < 60 && refused.status === 200; i++)
      refused = await place.post(
        'executions',
        Array.from({ length: 5 }, () => result()),
      );
    expect([
      refused.status,
      refused.error?.kind,
      Number(refused.headers.get('retry-after')),
    ]).toEqual([429, 'too-many', (MIDNIGHT - NOON) / 1_000]);
    const count = (await place.all('run')).length;
    // A single one may fit still; five do not.
    while ((await place.post('executions', result())).status === 200)
      expect((await place.all('run')).length).toBeLessThan(count + 6);
    const ping = await place.ping('/files');
    expect([ping.status, ping.text, ping.headers.get('retry-after')]).toEqual([
      429,
      'daily storage limit reached',
      String((MIDNIGHT - NOON) / 1_000),
    ]);
    expect((await place.post('computers', { hostName: 'pc-9' })).status).toBe(429);
    expect(await today(place)).toMatchObject({ limitBytes: 100_000, refusedAt: NOON });
    expect((await today(place))?.bytes).toBeLessThanOrEqual(100_000);

    place.ground.at(MIDNIGHT + 1);
    expect(await today(place)).toMatchObject({ bytes: 0, refusedAt: null });
    expect((await place.post('executions', result(30_000))).status).toBe(200);
  });

  test('ING-17: all keys of a provider share its quota; another provider has its own; raising it applies immediately', async () => {
    const other = await aPlace(await open());
    const second = await place.keyFor('restic');
    await setQuota(place, 3_500, 3_500);
    expect((await place.post('executions', [result(), result()])).status).toBe(200);
    expect((await place.post('executions', result(), { secret: second.secret })).status).toBe(200);
    expect((await place.post('executions', result(), { secret: second.secret })).status).toBe(429);
    expect((await place.post('executions', result())).status).toBe(429);
    expect((await other.post('executions', result())).status).toBe(200);
    await setQuota(place, 100_000, 100_000);
    expect((await place.post('executions', result())).status).toBe(200);
  });

  test('ING-17: repeated posts store and count nothing; text after a log counts as stored', async () => {
    const one = result(5_000);
    await place.post('executions', one);
    const before = (await today(place))?.bytes ?? 0;
    expect((await place.post('executions', one)).data).toMatchObject({ duplicates: 1 });
    expect((await today(place))?.bytes).toBe(before);
    await place.ping('/files/start');
    const started = (await today(place))?.bytes ?? 0;
    await place.ping('/files/log', { body: 'y'.repeat(4_000) });
    expect((await today(place))?.bytes).toBe(started + 4_000);
    await setQuota(place, started + 5_000, 1_000_000);
    expect((await place.ping('/files/log', { body: 'z'.repeat(4_000) })).status).toBe(200);
    expect((await today(place))?.bytes, 'no space for another log').toBe(started + 4_000);
  });

  test('ING-17, RUN-3: a job whose result was refused is not missed; one without a result the day after is', async () => {
    const TWO = Date.parse('2026-03-03T02:00:00Z');
    const nightly = { type: 'cron', cron: '0 2 * * *', tz: 'UTC' };
    const ran = (at: number): unknown =>
      anExecution({ startTime: iso(at), endTime: iso(at + 60_000), schedule: nightly });
    const missed = async (): Promise<string[]> =>
      (await place.all('run'))
        .filter(({ status }) => status === 'Missed')
        .map(({ startedAt }) => iso(startedAt));
    const clock = missedRunTicks({
      ...place.ground.context,
      store: { ...place.ground.context.store, tenants: async () => [place.tenant] },
    });
    const tickAt = async (ms: number): Promise<void> => {
      place.ground.at(ms);
      await clock.tick(ms);
    };
    try {
      await place.post('executions', ran(TWO - DAY));
      await tickAt(TWO);
      place.ground.at(TWO + 120_000);
      await setQuota(place, 10, 10);
      expect((await place.post('executions', ran(TWO))).status).toBe(429);
      await tickAt(TWO + HOUR);
      await tickAt(TWO + 5 * HOUR);
      expect(await missed()).toEqual([]);
      await setQuota(place, 1_000_000, 1_000_000);
      await tickAt(TWO + DAY + HOUR);
      expect(await missed()).toEqual([iso(TWO + DAY)]);
    } finally {
      await clock.stop();
    }
  });
});

test.skipIf(missing !== '')(
  `ING-17: several servers on one database count together, and so does a restarted one${missing}`,
  async () => {
    const url = await freshUrl();
    const open = (): Promise<OpenStore> => openStore({ ...QUIET, dataDir: '', databaseUrl: url });
    const one = await open();
    const two = await open();
    const place = await aPlace(one);
    await setQuota(place, 3_500, 100_000);
    const there = await aPlace(two);
    // The same key at the other server.
    const at = { secret: place.secret, headers: { host: place.host } };
    expect((await place.post('executions', result())).status).toBe(200);
    expect((await there.post('executions', result(), at)).status).toBe(200);
    expect((await place.post('executions', result())).status).toBe(200);
    expect([
      (await there.post('executions', result(), at)).status,
      (await place.post('executions', result())).status,
    ]).toEqual([429, 429]);
    await Promise.all([one.close(), two.close()]);
    const again = await open();
    const back = await aPlace(again);
    expect((await back.post('executions', result(), at)).status).toBe(429);
    await again.close();
  },
);
