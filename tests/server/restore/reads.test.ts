import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Engine } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { INSERTION_ORDER } from '../db/insertion-order.ts';
import { eachDatabase } from '../db/databases.ts';
import { POINT_AT } from '../engine/explorer/history.ts';
import { openSession, someBackups, type Backups } from './fixtures.ts';

interface Page {
  readonly rows: readonly {
    id: string;
    name: string;
    deleted: boolean;
    children?: number;
    hasFolders?: boolean;
  }[];
  readonly next: string | null;
  readonly count: number | null;
}
const RUNS = 120 * Number(process.env['PROOF'] ?? 1);

/** What was recorded of reading. */
async function readings({ ground: fixture, office }: Backups): Promise<Reading[]> {
  const rows = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
    sql
      .selectFrom('audit')
      .select(['id', 'detail'])
      .where('tenant_id', '=', tenant)
      .where('what', '=', 'backupcontent.read')
      .orderBy(INSERTION_ORDER)
      .execute(),
  );
  return rows.map(({ id, detail }) => ({ id, detail }));
}
interface Reading {
  readonly id: string;
  readonly detail: unknown;
}

eachDatabase((kind, open) => {
  test(`RES-20: points are listed, a session shows mailboxes, folders and items as they were, and ends (${kind})`, async () => {
    const { admin, ours } = await someBackups(await open());
    const points = await admin<{ rows: { backupTime: Ms; jobId: string }[]; count: number }>(
      'GET',
      `o365/restore/restorepoints?organizationId=${ours.organization}&from=${POINT_AT(1)}`,
    );
    // Both mailboxes have a point at each time.
    expect(points.body.data.rows.map(({ backupTime }) => backupTime)).toEqual(
      [2, 2, 1, 1].map((n) => POINT_AT(n)),
    );
    // They have mailboxes and no drives.
    for (const [sessionType, count] of [
      ['Vex', 4],
      ['Veod', 0],
    ] as const)
      expect(
        (
          await admin<{ count: number }>(
            'GET',
            `o365/restore/restorepoints?organizationId=${ours.organization}&from=${POINT_AT(1)}&sessionType=${sessionType}`,
          )
        ).body.data.count,
      ).toBe(count);
    const session = await openSession(admin, ours, { datetime: POINT_AT(1) + 1 });
    const at = `o365/restore/restoresessions/${session}`;
    const page = async (path: string): Promise<Page> => {
      const { status, text, body } = await admin<Page>('GET', `${at}/${path}`);
      expect([path, status, text.slice(0, 0)]).toEqual([path, 200, '']);
      return body.data;
    };
    const { rows } = await page('mailboxes');
    expect(rows.map(({ name }) => name)).toEqual(['Person 1', 'Person 2']);
    const mailbox = rows[0]?.id ?? '';
    const top = await page(`mailboxes/${mailbox}/folders?parentId=Root`);
    expect(top.rows.map(({ name, children }) => [name, children])).toEqual([['Inbox', 2]]);
    const inbox = top.rows[0]?.id ?? '';
    expect(top.rows[0]?.hasFolders).toBe(true);
    expect(
      (await page(`mailboxes/${mailbox}/folders?parentId=${inbox}`)).rows.map(
        ({ name, hasFolders }) => [name, hasFolders],
      ),
    ).toEqual([['Old', false]]);
    const items = `mailboxes/${mailbox}/items?parentId=${inbox}`;
    expect((await page(items)).rows.map(({ name }) => name)).toEqual(['Ann mail 3', 'Ann mail 1']);
    const second = await page(`${items}&offset=1&limit=1`);
    expect([second.rows.map(({ name }) => name), second.count]).toEqual([['Ann mail 1'], 2]);
    const first = await page(`${items}&limit=1`);
    const next = await page(`${items}&limit=1&cursor=${first.next}`);
    expect(next.rows.map(({ name }) => name)).toEqual(['Ann mail 1']);
    expect((await page(`${items}&search=MAIL%203`)).rows).toHaveLength(1);
    const size = await admin<object>('POST', `${at}/mailboxes/download-size`, {
      nodes: [mailbox],
    });
    expect(size.body.data).toEqual({ items: 3, bytes: 101 + 102 + 103, isExact: false });

    const later = await openSession(admin, ours, { showDeleted: true });
    const shown = await admin<Page>(
      'GET',
      `o365/restore/restoresessions/${later}/mailboxes/${mailbox}/items?parentId=${inbox}`,
    );
    expect(shown.body.data.rows.map(({ name, deleted }) => [name, deleted])).toEqual([
      ['Ann mail 3', false],
      ['Ann mail 1', true],
    ]);

    expect((await admin('POST', `${at}/stop`, {})).status).toBe(200);
    const ended = await admin('GET', `${at}/mailboxes`);
    expect(ended.status).toBe(409);
    expect(ended.text).toContain('The restore session has ended. Open it again to continue.');
  });

  test(`G63: whatever is requested, each answer has one record of its reading, and nothing outside the scope is answered (${kind})`, async () => {
    const backups = await someBackups(await open());
    const { office, admin, ours, theirs } = backups;
    const cora = await office.as('cora', ['o365_admin'], [1]);
    expect(
      (
        await cora('POST', 'o365/restore/restoresessions', {
          organizationId: theirs.organization,
          datetime: POINT_AT(9),
          sessionType: 'Vex',
        })
      ).status,
    ).toBe(404);
    const stopped = await openSession(cora, ours);
    await cora('POST', `o365/restore/restoresessions/${stopped}/stop`, {});
    const mine = await openSession(cora, ours, { showDeleted: true });
    const sessions = [mine, mine, mine, stopped, randomUUID(), 'x'];
    // Sessions of somebody else: of the same organization, and of one that cora doesn't see.
    sessions.push(await openSession(admin, ours), await openSession(admin, theirs));
    // Mailbox 3 is theirs.
    const node = fc.oneof(
      fc.constantFrom('o1', 'o2', 'o3', 'f1.1', 'f2.2', 'f3.1', 'i1.1', 'i3.1', 'o9', 'f1.9', 'x'),
      fc.constantFrom('o1', 'f1.1', 'f2.1'),
    );
    const request = fc.record({
      session: fc.constantFrom(...sessions),
      what: fc.constantFrom('mailboxes', 'folders', 'items', 'size', 'onedrives'),
      node,
      parent: fc.option(node, { nil: undefined }),
      search: fc.option(fc.constantFrom('mail', 'Canary', '%', 'Person', "'"), { nil: undefined }),
      offset: fc.option(fc.constantFrom('0', '1', '9'), { nil: undefined }),
      limit: fc.option(fc.constantFrom('1', '2', '1000', '0'), { nil: undefined }),
    });
    const known = new Set((await readings(backups)).map((one) => one.id));
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ session, what, node: id, parent, ...query }) => {
        const at = `o365/restore/restoresessions/${session}`;
        const input = new URLSearchParams();
        for (const [name, value] of Object.entries({ ...query, parentId: parent }))
          if (value !== undefined && !(name === 'parentId' && what === 'mailboxes'))
            input.set(name, value);
        const { status, text, body } =
          what === 'size'
            ? await cora<{ items: number }>('POST', `${at}/mailboxes/download-size`, {
                nodes: [id, ...(parent === undefined ? [] : [parent])],
              })
            : await cora<Page>(
                'GET',
                what === 'mailboxes' || what === 'onedrives'
                  ? `${at}/${what}?${input}`
                  : `${at}/mailboxes/${id}/${what}?${input}`,
              );
        const added = (await readings(backups)).filter((one) => !known.has(one.id));
        for (const one of added) known.add(one.id);
        expect([status, added.length]).toEqual([status, status === 200 ? 1 : 0]);
        expect([200, 400, 404, 409]).toContain(status);
        expect(text).not.toMatch(/Canary|Person 3/);
        if (status !== 200) return;
        expect(session).toBe(mine);
        if (what === 'size') expect([id, parent]).not.toContain('o3');
        const data = body.data as { rows?: unknown[]; items?: number };
        expect(added[0]?.detail).toMatchObject({
          organization: ours.organization,
          session: mine,
          rows: data.rows?.length ?? data.items,
        });
        answered += 1;
      }),
      { numRuns: RUNS, seed: 63 },
    );
    for (const { detail } of await readings(backups))
      expect(JSON.stringify(detail)).not.toMatch(/mail \d/);
  });

  test(`RES-20: a path names the mailbox of its folders and items, and those of another one don't exist below it (${kind})`, async () => {
    const { admin, ours } = await someBackups(await open());
    const at = `o365/restore/restoresessions/${await openSession(admin, ours)}/mailboxes`;
    const loadStatus = async (method: string, path: string, body?: object): Promise<number> =>
      (await admin(method, `${at}/${path}`, body)).status;
    expect(await loadStatus('GET', 'o1/items?parentId=f1.1')).toBe(200);
    expect(await loadStatus('GET', 'o1/items?parentId=f2.1')).toBe(404);
    expect(await loadStatus('GET', 'o1/folders?parentId=o2')).toBe(404);
    expect(await loadStatus('GET', 'f1.1/folders')).toBe(404);
    const items = { items: ['i1.2'], dryRun: true };
    expect(await loadStatus('POST', 'o1/items/restore', items)).toBe(200);
    expect(await loadStatus('POST', 'o2/items/restore', items)).toBe(404);
    expect(
      await loadStatus('POST', 'o1/items/restore', { ...items, items: ['i1.2', 'i2.2'] }),
    ).toBe(404);
    expect(await loadStatus('POST', 'o2/folders/f1.1/restore', { dryRun: true })).toBe(404);
    expect(await loadStatus('POST', 'f1.1/restore', { dryRun: true })).toBe(404);
  });

  test(`G71: a restore to another place needs a reason and a recent sign-in, and another user's session doesn't exist (${kind})`, async () => {
    const {
      ground: fixture,
      engine,
      office,
      admin,
      ours,
      theirs,
    } = await someBackups(await open());
    const session = await openSession(admin, ours);
    const path = `o365/restore/restoresessions/${session}/mailboxes/o1/restore`;
    const other = { mailbox: 'user-2', reason: 'Asked by phone' };
    const loadKind = async (who: typeof admin, body: object): Promise<string> => {
      const answer = await who<{ taskId: string }>('POST', path, body);
      return answer.status === 200 ? 'ok' : answer.body.error.kind;
    };
    expect(await loadKind(admin, { ...other, reason: undefined })).toBe('bad-input');
    expect(await loadKind(admin, { folder: 'Restored' })).toBe('bad-input');
    expect(await loadKind(admin, { deletedItems: false, changedItems: false })).toBe('bad-input');
    expect(await loadKind(admin, other)).toBe('ok');
    expect(await loadKind(await office.as('dora', ['o365_admin']), {})).toBe('not-found');
    const cora = await office.as('cora2', ['o365_admin'], [1]);
    const own = await openSession(cora, ours);
    const abroad = await cora('POST', `o365/restore/restoresessions/${own}/mailboxes/o1/restore`, {
      ...other,
      targetOrganizationId: theirs.organization,
    });
    expect(abroad.status).toBe(404);
    fixture.pass(6 * 60_000);
    expect(await loadKind(admin, {})).toBe('ok');
    expect(await loadKind(admin, other)).toBe('reauth_required');
    Object.assign(engine, {
      getSize: () =>
        Promise.resolve({ ok: true, value: { items: 1_001, bytes: 1, isExact: false } }),
    } satisfies Pick<Engine, 'getSize'>);
    expect(await loadKind(admin, {})).toBe('reauth_required');
    expect(await loadKind(admin, { dryRun: true })).toBe('ok');
  });

  test(`RES-22: users who see the organization list, read and stop a restore (${kind})`, async () => {
    const { office, admin, ours } = await someBackups(await open());
    const session = await openSession(admin, ours);
    const started = await admin<{ taskId: string }>(
      'POST',
      `o365/restore/restoresessions/${session}/mailboxes/o1/items/restore`,
      { items: ['i1.2'], dryRun: true },
    );
    const { taskId } = started.body.data;
    const of = `organizationId=${ours.organization}`;
    const list = await admin<{ rows: { id: string; kind: string; workload: string }[] }>(
      'GET',
      `o365/restore/tasks?${of}`,
    );
    expect(list.body.data.rows.map(({ id, kind: what, workload }) => [id, what, workload])).toEqual(
      [[taskId, 'dry-run', 'outlook']],
    );
    const cancelled = await admin('POST', `o365/restore/tasks/${taskId}/cancel`, {
      organizationId: ours.organization,
    });
    expect(cancelled.status).toBe(200);
    const task = await admin<{ state: string }>('GET', `o365/restore/tasks/${taskId}?${of}`);
    expect(task.body.data.state).toBe('stopping');
    const results = await admin<Page>('GET', `o365/restore/tasks/${taskId}/results?${of}`);
    expect(results.body.data.rows).toEqual([]);
    const undo = await admin('POST', `o365/restore/tasks/${taskId}/undo`, {
      organizationId: ours.organization,
    });
    expect(undo.status).toBe(409);
    expect(undo.text).toContain('Only a finished restore can be undone, and only once.');
    const cora = await office.as('cora3', ['o365_admin'], [2]);
    expect((await cora('GET', `o365/restore/tasks/${taskId}?${of}`)).status).toBe(404);
    const operator = await office.as('oscar', ['operator']);
    expect((await operator('GET', `o365/restore/tasks?${of}`)).status).toBe(403);
  });
});
