import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { Changed, UserDirectory } from '#server/features/auth/directory/directory.ts';
import { userEndHandlers } from '#server/features/users/delete-user.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anAsk } from '../ingest/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { aUser, LONG, said, thePeople } from './fixtures.ts';

let fixture: Fixture;
const never = (): Promise<never> => Promise.reject(new Error('not asked for here'));

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test("USER-8: the password of a directory user is set there, must be changed at the next sign-in, and the directory's messages are shown", async () => {
    const { root, idOf: loadId, tenant, posted, recorded } = await thePeople(fixture);
    await root('POST', 'users', aUser('dir.user', { auth: 'ad', password: undefined }));
    const id = await loadId('dir.user');
    const request: unknown[][] = [];
    let outcome: Changed = { kind: 'done' };
    const directory: UserDirectory = {
      bind: never,
      change: never,
      unlock: never,
      reset: (...of) => {
        request.push(of);
        return Promise.resolve(outcome);
      },
    };
    const set = (there: UserDirectory | null = directory) =>
      userEndHandlers(fixture.context, () => Promise.resolve(there)).setPasswordAd(
        { id, password: LONG },
        anAsk({ ...fixture, at: () => undefined }, tenant),
      );
    expect((await set()).ok).toBe(true);
    expect(request).toEqual([['dir.user', LONG, true]]);
    expect((await posted()).map(({ to }) => to)).toEqual(['dir.user@example.net']);
    expect((await recorded()).map(({ what }) => what)).toContain('password.set');
    for (const [said1, kind, message] of [
      [{ kind: 'refused', message: 'WILL_NOT_PERFORM' }, 'bad-input', MESSAGES.passwordPolicy],
      [{ kind: 'unreachable' }, 'busy', MESSAGES.noDirectory],
      [{ kind: 'unknown' }, 'conflict', MESSAGES.changePassword],
    ] as const) {
      outcome = said1;
      expect(await set()).toMatchObject({ ok: false, failure: { kind, message } });
    }
    expect(await set(null)).toMatchObject({
      ok: false,
      failure: { kind: 'busy', message: MESSAGES.noDirectory },
    });
    expect(await posted()).toHaveLength(1);
    expect(said(await root('PUT', `users/${id}/changePassword/db`, { password: LONG }))[0]).toBe(
      409,
    );
  });
});
