import { expect, test } from 'vitest';
import { anyDatabase } from '../db/databases.ts';
import { aSuite, makeAll } from './fixtures.ts';
import { addObject } from './objects.ts';

interface Hold {
  readonly _id: string;
  readonly name: string;
  readonly reason: string;
  readonly placedBy: string | null;
  readonly isActive: boolean;
}
const DAY = 86_400_000;

anyDatabase((kind, open) => {
  test(`ENG-121: an administrator of organizations places and releases legal holds, and the organization and its repository are not deleted meanwhile (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const ours = await makeAll(admin, 1, 'Calloway');
    const { store, clock } = fixture.context;
    await store.tenant(office.tenant, (tx) =>
      addObject(tx, ours, {
        n: 1,
        kind: 'mailbox',
        user: 'ann',
        bytes: 10,
        points: [clock.now() - DAY],
      }),
    );
    const path = `o365/organizations/${ours.organization}/legal-holds`;
    const list = async () => (await admin<Hold[]>('GET', path)).body.data;
    const placing = { kind: 'user', objectId: 'ann', reason: 'A lawsuit about a mast' };
    const isRefused = async (input: object): Promise<string> =>
      (await admin('POST', path, input)).body.error.kind;
    expect(await isRefused({ ...placing, reason: ' ' })).toBe('bad-input');
    expect(await isRefused({ ...placing, kind: 'group' })).toBe('bad-input');
    expect(await isRefused({ ...placing, until: clock.now() - 1 })).toBe('bad-input');
    expect(await isRefused({ ...placing, objectId: 'nobody' })).toBe('not-found');
    // A mailbox is no site.
    expect(await isRefused({ ...placing, kind: 'site' })).toBe('not-found');

    const placed = await admin<{ id: string }>('POST', path, placing);
    expect(placed.status).toBe(200);
    expect(await isRefused(placing)).toBe('conflict');
    expect(await list()).toEqual([
      {
        _id: placed.body.data.id,
        kind: 'user',
        objectId: 'ann',
        name: 'ann',
        reason: 'A lawsuit about a mast',
        placedBy: expect.any(String) as string,
        placedAt: expect.any(Number) as number,
        until: null,
        isActive: true,
      },
    ]);
    expect((await admin('DELETE', `o365/jobs/${ours.job}`)).status).toBe(200);
    for (const [target, message] of [
      [`repositories/${ours.repository}`, 'The repository has backups on legal hold.'],
      [`organizations/${ours.organization}`, 'The organization has 1 legal hold.'],
    ] as const) {
      const { status, text } = await admin('DELETE', `o365/${target}`);
      expect(status).toBe(409);
      expect(text).toContain(message);
    }

    const release = `${path}/${placed.body.data.id}/release`;
    expect((await admin('POST', release, { reason: '' })).body.error.kind).toBe('bad-input');
    expect((await admin('POST', release, { reason: 'It is over' })).status).toBe(200);
    expect((await admin('POST', release, { reason: 'It is over' })).status).toBe(404);
    expect(await list()).toEqual([]);

    // Who placed and released it, and on whom, without the reason or a name.
    const recorded = await store.tenant(office.tenant, ({ sql }) =>
      sql
        .selectFrom('audit')
        .select(['what', 'detail'])
        .where('tenant_id', '=', office.tenant)
        .where('what', 'like', 'legalhold.%')
        .orderBy('at')
        .orderBy('what')
        .execute(),
    );
    expect(recorded.map(({ what }) => what)).toEqual(['legalhold.placed', 'legalhold.released']);
    expect(JSON.stringify(recorded)).toContain(placed.body.data.id);
    expect(JSON.stringify(recorded)).not.toMatch(/mast|It is over/);
    expect((await admin('DELETE', `o365/organizations/${ours.organization}`)).status).toBe(200);
  });

  test(`ENG-121: a hold whose end has passed protects nothing; placing and releasing need a recent sign-in and the right to manage organizations (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const ours = await makeAll(admin, 1, 'Calloway');
    const { store, clock } = fixture.context;
    await store.tenant(office.tenant, (tx) =>
      addObject(tx, ours, { n: 1, kind: 'drive', user: 'ann', bytes: 10, points: [1] }),
    );
    const path = `o365/organizations/${ours.organization}/legal-holds`;
    const placing = { kind: 'user', objectId: 'ann', reason: 'A lawsuit' };
    const reader = await office.as('reader', ['read-only', 'operator', 'admin']);
    expect((await reader('POST', path, placing)).status).toBe(403);
    expect((await reader('GET', path)).status).toBe(403);
    const until = clock.now() + 60_000;
    const placed = await admin<{ id: string }>('POST', path, { ...placing, until });
    expect(placed.status).toBe(200);
    fixture.pass(120_000);
    expect((await admin<Hold[]>('GET', path)).body.data).toMatchObject([{ isActive: false }]);
    // The same person can be on hold again.
    expect((await admin('POST', path, placing)).status).toBe(200);
    fixture.pass(6 * 60_000);
    const late = await admin('POST', `${path}/${placed.body.data.id}/release`, { reason: 'Over' });
    expect(late.body.error.kind).toBe('reauth_required');
  });
});
