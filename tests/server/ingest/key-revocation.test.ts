import { expect, test } from 'vitest';
import { makeAppContext } from '#server/make-app-context.ts';
import { openStore } from '#server/platform/db/open.ts';
import { keyHandlers } from '#server/features/ingest/ingest-keys.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { eachDatabase, freshUrl, missing, QUIET } from '../db/databases.ts';
import { anAsk, anExecution, aPlace, HOUR, iso, NOON } from './fixtures.ts';

const at = (slot: number): Record<string, unknown> =>
  anExecution({
    startTime: iso(NOON - (50 - slot) * HOUR),
    endTime: iso(NOON - (50 - slot) * HOUR + HOUR / 2),
  });

eachDatabase((name, open) => {
  test(`ING-13: a key that keeps posting ends immediately when it is replaced or revoked, and nothing after that is stored (${name})`, async () => {
    const place = await aPlace(await open());
    const keys = keyHandlers(place.ground.context);
    for (const slot of [1, 2])
      expect((await place.post('executions', at(slot))).data).toMatchObject({ accepted: 1 });
    const rotated = await keys.rotateKey({ id: place.keyId }, anAsk(place.ground, place.tenant));
    if (!rotated.ok) throw new Error(rotated.failure.message);
    const secret = rotated.value.secret;
    expect((await place.post('executions', at(3))).status).toBe(401);
    expect((await place.post('executions', at(3), { secret })).data).toMatchObject({ accepted: 1 });
    expect((await place.post('executions', at(4), { secret })).data).toMatchObject({ accepted: 1 });
    await keys.revokeKey({ id: place.keyId }, anAsk(place.ground, place.tenant));
    expect((await place.post('executions', at(5), { secret })).status).toBe(401);
    expect((await place.all('run')).length).toBe(4);
  });

  test(`ING-13: posts that are no results get the same refusal with a revoked key as without one (${name})`, async () => {
    const place = await aPlace(await open());
    await place.post('executions', at(1));
    await keyHandlers(place.ground.context).revokeKey(
      { id: place.keyId },
      anAsk(place.ground, place.tenant),
    );
    for (const body of ['{', [{}], Array.from({ length: 1_001 }, () => ({}))])
      expect((await place.post('executions', body)).status).toBe(401);
  });
});

test.skipIf(missing !== '')(
  `ING-13: a key that another server revoked ends here immediately${missing}`,
  async () => {
    const url = await freshUrl();
    const [here, there] = await Promise.all(
      [url, url].map((databaseUrl) => openStore({ ...QUIET, dataDir: '', databaseUrl })),
    );
    if (!here || !there) throw new Error('no store');
    try {
      const place = await aPlace(here);
      for (const slot of [1, 2])
        expect((await place.post('executions', at(slot))).data).toMatchObject({ accepted: 1 });
      const other: AppContext = makeAppContext({ ...place.ground.context, store: there });
      await keyHandlers(other).revokeKey({ id: place.keyId }, anAsk(place.ground, place.tenant));
      expect((await place.post('executions', at(3))).status).toBe(401);
      expect((await place.all('run')).length).toBe(2);
    } finally {
      await Promise.all([here.close(), there.close()]);
    }
  },
);
