import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Execution } from '#contract/runs/calls.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { deleteOldCommands } from '#server/platform/http/old-commands.ts';
import { anyDatabase } from '../db/databases.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { anOffice, failure } from './fixtures.ts';

const DAY = 86_400_000;
let fixture: Fixture;

anyDatabase((name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test(`OUT-9, G2: answers to commands are deleted after 90 days in pieces, except the last one of each device, and no command runs twice (${name})`, async () => {
    const office = await anOffice(fixture);
    const me = await office.as('dana', ['operator']);
    await office.post(1, [failure('job', '2026-03-02T01:00:00Z')]);
    const run = (await me<Bootstrap>('GET', 'sync/bootstrap?protocol=2')).body.data.problems[0]
      ?.lastRun;
    const path = `monitoring/backoffice/jobExecutions/${run}`;
    const devices = [randomUUID(), randomUUID()] as const;
    const ids: readonly string[] = Array.from({ length: 4 }, () => randomUUID());
    const send = async (command: number, device: string, order: number) => {
      const { status, body } = await me(
        'PUT',
        path,
        { change: { kind: 'note', content: `note ${command}` } },
        {
          'idempotency-key': ids[command] ?? '',
          'daybook-device': device,
          'daybook-order': String(order),
        },
      );
      return [status, body];
    };
    const { store, clock } = fixture.context;
    const tidy = (days: number, pieceRows?: number): Promise<void> =>
      store.tenant(office.tenant, (tx) =>
        deleteOldCommands(tx, clock.now() + days * DAY, pieceRows),
      );
    const findStored = async (): Promise<number[]> =>
      store.tenant(office.tenant, async ({ sql, tenant }) =>
        (await sql.selectFrom('command').select('id').where('tenant_id', '=', tenant).execute())
          .map(({ id }) => ids.indexOf(id))
          .toSorted((a, b) => a - b),
      );
    const first = await send(0, devices[0], 1);
    await send(1, devices[0], 2);
    const last = await send(2, devices[0], 3);
    const other = await send(3, devices[1], 1);

    await tidy(89);
    expect(await findStored()).toEqual([0, 1, 2, 3]);
    expect(await send(0, devices[0], 1)).toEqual(first);
    await tidy(91, 1);
    expect(await findStored()).toHaveLength(3);
    await tidy(91);
    expect(await findStored()).toEqual([2, 3]);

    expect([await send(2, devices[0], 3), await send(3, devices[1], 1)]).toEqual([last, other]);
    expect(await send(0, devices[0], 1)).toEqual([
      409,
      expect.objectContaining({ error: expect.objectContaining({ kind: 'out-of-order' }) }),
    ]);
    const { history } = (await me<Execution>('GET', path)).body.data;
    expect(history.filter(({ what }) => what === 'Note').map(({ comment }) => comment)).toEqual(
      [3, 2, 1, 0].map((n) => `note ${n}`),
    );
  });
});
