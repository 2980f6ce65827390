import { expect, test } from 'vitest';
import type { Engine } from '#contract/engine/engine.ts';
import type { Store } from '#server/platform/db/store.ts';
import { restoreApproval } from '#server/features/restore/oversight/approvals.ts';
import { eachDatabase } from '../db/databases.ts';
import { loadMails } from '../notifications/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import { failItems, openSession, someBackups, type Backups } from './fixtures.ts';

interface Task {
  readonly id: string;
  readonly state: string;
  readonly result: string | null;
  readonly message: string | null;
  readonly request: {
    readonly reason: string;
    readonly requestedBy: string;
    readonly items: number;
    readonly target: string | null;
    readonly decision: {
      readonly decision: string;
      readonly by: string | null;
      readonly reason: string | null;
    } | null;
    readonly canDecide: boolean;
  } | null;
}
const DAY = 86_400_000;
const OTHER = { mailbox: 'user-2', reason: 'Asked by phone' };

async function makeOffice(store: Store) {
  const backups = await someBackups(store);
  const { ground: fixture, office, engine, ours } = backups;
  const join = async (
    username: string,
    roles: Parameters<typeof office.as>[1],
    companies: number[] | null = null,
  ): Promise<Asker> => {
    const who = await office.as(username, roles, companies);
    await fixture.context.store.tenant(office.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ email: `${username}@example.com`, email_verified: true })
        .where('tenant_id', '=', office.tenant)
        .where('username', '=', username)
        .execute(),
    );
    return who;
  };
  const start = async (who: Asker, body: object): Promise<string> => {
    const session = await openSession(who, ours);
    const {
      status,
      text,
      body: answer,
    } = await who<{ taskId: string }>(
      'POST',
      `o365/restore/restoresessions/${session}/mailboxes/o1/restore`,
      body,
    );
    if (status !== 200) throw new Error(text);
    return answer.data.taskId;
  };
  const of = `organizationId=${ours.organization}`;
  return {
    ...backups,
    join,
    start,
    loadTask: async (who: Asker, task: string): Promise<Task> =>
      (await who<Task>('GET', `o365/restore/tasks/${task}?${of}`)).body.data,
    decide: async (who: Asker, task: string, how: string, reason = 'Checked'): Promise<string> => {
      const { status, body } = await who('POST', `o365/restore/tasks/${task}/${how}`, {
        organizationId: ours.organization,
        ...(how !== 'cancel' && { reason }),
      });
      return status === 200 ? 'ok' : body.error.kind;
    },
    requireApproval: (who: Asker, needsApproval = true) =>
      who('PUT', `o365/organizations/${ours.organization}/restore-approval`, { needsApproval }),
    listWaiting: async (who: Asker): Promise<readonly string[]> =>
      (await who<Task[]>('GET', 'o365/restore/approvals')).body.data.map(({ id }) => id),
    /** All mails are those of the restores here. */
    mailsTo: async (username: string) =>
      (await loadMails(fixture, { tenant: office.tenant })).filter(
        ({ to }) => to === `${username}@example.com`,
      ),
    setItems: (items: number) =>
      Object.assign(engine, {
        getSize: () => Promise.resolve({ ok: true, value: { items, bytes: 1, isExact: false } }),
      } satisfies Pick<Engine, 'getSize'>),
  };
}

/** Whether the restore was given to the background jobs. */
const isScheduled = ({ ground: { context }, office }: Backups, task: string): Promise<boolean> =>
  context.store.tenant(office.tenant, async ({ sql }) => {
    const row = await sql
      .selectFrom('background_job')
      .select('key')
      .where('tenant_id', '=', office.tenant)
      .where('type', '=', 'restore-task')
      .where('key', '=', task)
      .executeTakeFirst();
    return row !== undefined;
  });

interface AuditEntry {
  readonly action: string;
  readonly words: string;
  readonly object: string | null;
  readonly sessionId: string | null;
}
const listAudit = async (who: Asker, query = ''): Promise<readonly AuditEntry[]> =>
  (await who<{ rows: AuditEntry[] }>('GET', `o365/restore/audit${query}`)).body.data.rows;

const loadEvents = async ({ ground: { context }, office }: Backups) =>
  (
    await context.store.tenant(office.tenant, ({ sql }) =>
      sql
        .selectFrom('event')
        .select(['type', 'data'])
        .where('tenant_id', '=', office.tenant)
        .where('type', 'in', ['restoretask.requested@1', 'restoretask.decided@1'])
        .orderBy('seq')
        .execute(),
    )
  ).map(({ type, data }) => ({ type, ...(data as object) }));

eachDatabase((kind, open) => {
  test(`G71: a restore to another place, or of more than 1,000 items, needs a reason, and the customer learns about it (${kind})`, async () => {
    const bench = await makeOffice(await open());
    const { admin, ours, join, start, loadTask, setItems, mailsTo } = bench;
    const cora = await join('cora', ['o365_admin'], [1]);
    await join('dora', ['o365_admin'], [2]);
    await join('rita', ['read-only'], [1]);
    const session = await openSession(admin, ours);
    const at = `o365/restore/restoresessions/${session}/mailboxes/o1/restore`;
    const few = await start(admin, {});
    expect((await loadTask(cora, few)).request).toBeNull();
    setItems(1_000);
    expect((await loadTask(cora, await start(cora, {}))).request).toBeNull();
    expect(await mailsTo('cora')).toEqual([]);

    setItems(1_001);
    const refused = await admin('POST', at, {});
    expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, 'reason']);
    expect((await admin('POST', at, { dryRun: true })).status).toBe(200);
    const many = await start(admin, { reason: 'Mailbox was emptied' });
    setItems(3);
    const other = await start(admin, OTHER);
    expect((await loadTask(cora, many)).request).toMatchObject({
      reason: 'Mailbox was emptied',
      requestedBy: 'RESTORER',
      items: 1_001,
      target: null,
      decision: null,
      canDecide: false,
    });
    expect((await loadTask(cora, other)).request).toMatchObject({
      reason: 'Asked by phone',
      items: 3,
      target: expect.stringContaining('user-2') as string,
    });
    expect([await isScheduled(bench, many), await isScheduled(bench, other)]).toEqual([true, true]);
    const mails = await mailsTo('cora');
    expect(mails.map(({ text }) => /Reason: (.*)/.exec(text)?.[1] ?? '').toSorted()).toEqual([
      'Asked by phone',
      'Mailbox was emptied',
    ]);
    expect(mails.map(({ text }) => text).join('\n')).toMatch(
      /RESTORER restores 1,?001 items of Calloway/,
    );
    for (const name of ['dora', 'rita', 'restorer']) expect(await mailsTo(name)).toEqual([]);
    const notices = await cora<{ message: string; link: string }[]>('POST', 'notifications', {
      userId: await loadUserId(bench, 'cora'),
    });
    expect(notices.body.data.map(({ link }) => link)).toEqual([
      '/o365/restore/outlook',
      '/o365/restore/outlook',
    ]);
    expect(await loadEvents(bench)).toMatchObject([
      { type: 'restoretask.requested@1', id: many, items: 1_001, expiresAt: null, target: null },
      { type: 'restoretask.requested@1', id: other, target: { object: 'user-2' } },
    ]);
  });

  test(`G71: many small restores of one person in a row are a large one, for a day (${kind})`, async () => {
    const bench = await makeOffice(await open());
    const { ground: fixture, admin, ours, theirs, join, start, loadTask, setItems } = bench;
    const cora = await join('cora', ['o365_admin'], [1]);
    const restore = async (who: Asker, body: object = {}, of = ours) => {
      const session = await openSession(who, of);
      const node = of === ours ? 'o1' : 'o3';
      const path = `o365/restore/restoresessions/${session}/mailboxes/${node}/restore`;
      const { status, body: answer } = await who('POST', path, body);
      return [
        status,
        status === 200 ? null : (answer.error.issues?.[0]?.path ?? answer.error.kind),
      ];
    };
    setItems(400);
    expect(await restore(admin)).toEqual([200, null]);
    expect(await restore(admin)).toEqual([200, null]);
    expect(await restore(admin)).toEqual([400, 'reason']);
    // A dry run, another person and another organization are not counted.
    expect(await restore(admin, { dryRun: true })).toEqual([200, null]);
    expect(await restore(cora)).toEqual([200, null]);
    expect(await restore(admin, {}, theirs)).toEqual([200, null]);
    // Of several that begin at the same moment, each counts the others.
    const together = await Promise.all([1, 2, 3].map(() => restore(cora)));
    expect(together.filter(([status]) => status === 200)).toHaveLength(1);
    const third = await start(admin, { reason: 'The rest of it' });
    expect((await loadTask(cora, third)).request).toMatchObject({ items: 400 });
    // It is known to others, so it counts no more. The first two still do.
    setItems(200);
    expect(await restore(admin)).toEqual([200, null]);
    expect(await restore(admin)).toEqual([400, 'reason']);
    await fixture.context.store.tenant(bench.office.tenant, ({ sql, tenant }) =>
      sql
        .updateTable('engine_task')
        .set({ created_at: fixture.context.clock.now() - DAY })
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    setItems(1_000);
    expect(await restore(admin)).toEqual([200, null]);
  });

  test(`G71: the undo of a restore that needed a reason needs the same as the restore (${kind})`, async () => {
    const bench = await makeOffice(await open());
    const { ground: fixture, admin, ours, theirs, join, start, decide, loadTask, mailsTo } = bench;
    const cora = await join('cora', ['o365_admin'], [1]);
    const both = await join('both', ['o365_admin'], [1, 2]);
    const finish = (task: string) =>
      fixture.context.store.tenant(bench.office.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('engine_task')
          .set({
            state: 'done',
            progress: JSON.stringify({
              counts: { restored: 1, merged: 0, skipped: 0, failed: 0 },
            }) as never,
          })
          .where('tenant_id', '=', tenant)
          .where('id', '=', task)
          .execute(),
      );
    const undo = async (who: Asker, task: string): Promise<string> => {
      const { status, body } = await who<{ taskId: string }>(
        'POST',
        `o365/restore/tasks/${task}/undo`,
        { organizationId: ours.organization },
      );
      return status === 200 ? body.data.taskId : body.error.kind;
    };
    const plain = await start(admin, {});
    const away = await start(admin, { ...OTHER, targetOrganizationId: theirs.organization });
    const other = await start(admin, OTHER);
    // With the one before it, this is a restore of many items.
    bench.setItems(600);
    await start(admin, {});
    const recent = await start(admin, { reason: 'The rest of it' });
    for (const task of [plain, away, other, recent]) await finish(task);
    // It wrote to an organization that Cora doesn't see.
    expect(await undo(cora, away)).toBe('not-found');
    expect(await isScheduled(bench, await undo(both, away))).toBe(true);
    await bench.requireApproval(cora);
    expect(await isScheduled(bench, await undo(admin, plain))).toBe(true);
    const first = await undo(admin, other);
    expect(await loadTask(cora, first)).toMatchObject({
      kind: 'undo',
      state: 'awaiting-approval',
      request: { reason: 'Asked by phone', canDecide: true },
    });
    expect(await isScheduled(bench, first)).toBe(false);
    expect((await mailsTo('cora')).at(-1)?.text).toContain('RESTORER undoes a restore of');
    expect(await decide(admin, first, 'approve')).toBe('forbidden');
    expect(await undo(admin, other)).toBe('conflict');
    expect(await decide(cora, first, 'reject')).toBe('ok');
    // A rejected undo has done nothing, so there can be another.
    const second = await undo(admin, other);
    expect(await decide(cora, second, 'approve')).toBe('ok');
    expect(await isScheduled(bench, second)).toBe(true);
    fixture.pass(6 * 60_000);
    const late = await start(both, {});
    await finish(late);
    expect(await isScheduled(bench, await undo(both, late))).toBe(true);
    await finish(second);
    expect(await undo(both, away)).toBe('reauth_required');
    expect(await undo(both, recent)).toBe('reauth_required');
  });

  test(`RES-89, G71: a retry needs the same as the restore, and is recorded with it (${kind})`, async () => {
    const bench = await makeOffice(await open());
    const { ground: fixture, admin, ours, theirs, join, start, decide, loadTask, mailsTo } = bench;
    const cora = await join('cora', ['o365_admin'], [1]);
    const dora = await join('dora', ['o365_admin'], [2]);
    const retry = async (who: Asker, task: string): Promise<string> => {
      const { status, body } = await who<{ taskId: string }>(
        'POST',
        `o365/restore/tasks/${task}/retry`,
        { organizationId: ours.organization },
      );
      return status === 200 ? body.data.taskId : body.error.kind;
    };
    const plain = await start(admin, {});
    const away = await start(admin, { ...OTHER, targetOrganizationId: theirs.organization });
    const other = await start(admin, OTHER);
    expect(await retry(admin, plain)).toBe('conflict');
    for (const task of [plain, away, other]) await failItems(bench, task, 2);
    expect(await loadTask(admin, plain)).toMatchObject({ canRetry: true });
    // Others see the restore, but its session is that of who started it.
    expect(await loadTask(cora, plain)).toMatchObject({ canRetry: false });
    expect(await retry(cora, plain)).toBe('conflict');
    expect(await retry(dora, plain)).toBe('not-found');
    // It wrote to an organization that Cora doesn't see.
    expect(await retry(cora, away)).toBe('not-found');

    await bench.requireApproval(cora);
    const again = await retry(admin, plain);
    expect(await isScheduled(bench, again)).toBe(true);
    expect(await loadTask(cora, again)).toMatchObject({
      kind: 'restore',
      of: plain,
      request: null,
    });
    const waiting = await retry(admin, other);
    expect(await loadTask(cora, waiting)).toMatchObject({
      state: 'awaiting-approval',
      of: other,
      request: { reason: 'Asked by phone', items: 2, canDecide: true },
    });
    expect(await isScheduled(bench, waiting)).toBe(false);
    expect((await mailsTo('cora')).at(-1)?.text).toContain('RESTORER restores 2 items of');
    expect(await decide(admin, waiting, 'approve')).toBe('forbidden');
    expect(await retry(admin, other)).toBe('conflict');
    expect(await decide(cora, waiting, 'reject')).toBe('ok');
    const second = await retry(admin, other);
    expect(await decide(cora, second, 'approve')).toBe('ok');
    expect(await isScheduled(bench, second)).toBe(true);
    const words = (await listAudit(admin)).map((entry) => entry.words);
    expect(words.filter((one) => one.startsWith('Retry of the failed items'))).toHaveLength(3);
    fixture.pass(6 * 60_000);
    expect(await retry(admin, away)).toBe('reauth_required');
  });

  test(`G71: where it is required, a second person who may restore approves a restore, never its own requester (${kind})`, async () => {
    const bench = await makeOffice(await open());
    const { ground: fixture, admin, join, start, decide, loadTask, listWaiting, mailsTo } = bench;
    const cora = await join('cora', ['o365_admin'], [1]);
    const dora = await join('dora', ['o365_admin'], [2]);
    const olga = await join('olga', ['operator', 'admin']);
    expect((await bench.requireApproval(dora)).status).toBe(404);
    expect((await bench.requireApproval(olga)).status).toBe(403);
    expect((await bench.requireApproval(cora)).status).toBe(200);

    const plain = await start(admin, {});
    expect(await isScheduled(bench, plain)).toBe(true);
    const task = await start(admin, OTHER);
    expect(await loadTask(admin, task)).toMatchObject({
      state: 'awaiting-approval',
      request: { canDecide: false },
    });
    expect((await loadTask(cora, task)).request?.canDecide).toBe(true);
    expect(await isScheduled(bench, task)).toBe(false);
    expect([await listWaiting(cora), await listWaiting(admin)]).toEqual([[task], [task]]);
    expect(await listWaiting(dora)).toEqual([]);
    expect((await olga('GET', 'o365/restore/approvals')).status).toBe(403);
    const [mail] = await mailsTo('cora');
    expect(mail?.subject).toContain('waits for approval');

    for (const how of ['approve', 'reject']) {
      expect(await decide(admin, task, how)).toBe('forbidden');
      expect(await decide(dora, task, how)).toBe('not-found');
      expect(await decide(olga, task, how)).toBe('forbidden');
      expect(await decide(cora, task, how, '  ')).toBe('bad-input');
    }
    expect((await loadTask(cora, task)).state).toBe('awaiting-approval');
    fixture.pass(6 * 60_000);
    expect(await decide(cora, task, 'approve')).toBe('reauth_required');
    const kim = await join('kim', ['o365_admin'], [1]);
    expect(await decide(kim, task, 'approve', 'Called back')).toBe('ok');
    expect(await isScheduled(bench, task)).toBe(true);
    expect(await loadTask(kim, task)).toMatchObject({
      state: 'queued',
      request: {
        canDecide: false,
        decision: { decision: 'approved', by: 'KIM', reason: 'Called back' },
      },
    });
    // The audit of the session in which it was requested has the approval, and what it was about.
    const approved = (await listAudit(kim)).find(({ words }) => words === 'Restore approved');
    expect(approved).toMatchObject({ sessionId: expect.any(String), object: expect.any(String) });
    const ofSession = await listAudit(kim, `?sessionId=${approved?.sessionId ?? ''}`);
    expect(ofSession).toContainEqual(approved);
    expect(ofSession.map(({ action }) => action)).toContain('session');
    expect(await decide(kim, task, 'approve')).toBe('conflict');
    expect(await decide(kim, task, 'reject')).toBe('conflict');
    expect(await listWaiting(kim)).toEqual([]);
    expect((await loadEvents(bench)).at(-1)).toMatchObject({
      type: 'restoretask.decided@1',
      id: task,
      decision: 'approved',
      reason: 'Called back',
    });
  });

  test(`G71: a rejected, withdrawn or expired restore never starts, and its requester learns why (${kind})`, async () => {
    const bench = await makeOffice(await open());
    const { ground: fixture, office, join, start, decide, loadTask, mailsTo } = bench;
    const ruth = await join('ruth', ['o365_admin']);
    const cora = await join('cora', ['o365_admin'], [1]);
    await bench.requireApproval(cora);
    const rejected = await start(ruth, OTHER);
    const withdrawn = await start(ruth, OTHER);
    const expired = await start(ruth, OTHER);
    expect(await decide(cora, rejected, 'reject', 'Nobody called')).toBe('ok');
    expect(await loadTask(ruth, rejected)).toMatchObject({
      state: 'done',
      result: 'cancelled',
      message: 'Rejected by CORA: Nobody called',
    });
    expect((await mailsTo('ruth')).at(-1)?.text).toContain('Nobody called');
    expect(await decide(ruth, withdrawn, 'cancel')).toBe('ok');
    expect((await loadTask(cora, withdrawn)).request?.decision?.decision).toBe('withdrawn');

    const expire = (task: string) =>
      restoreApproval(fixture.context)({
        tenant: office.tenant,
        payload: { task },
        now: fixture.context.clock.now(),
        signal: new AbortController().signal,
      });
    expect(await expire(expired)).toBe(fixture.context.clock.now() + 3 * DAY);
    fixture.pass(3 * DAY);
    for (const task of [rejected, withdrawn, expired]) expect(await expire(task)).toBeNull();
    const late = await join('late', ['o365_admin'], [1]);
    expect(await loadTask(late, expired)).toMatchObject({
      state: 'done',
      result: 'cancelled',
      request: { decision: { decision: 'expired', by: null } },
    });
    expect(await decide(late, expired, 'approve')).toBe('conflict');
    expect(await bench.listWaiting(late)).toEqual([]);
    for (const task of [rejected, withdrawn, expired])
      expect(await isScheduled(bench, task)).toBe(false);
    expect((await mailsTo('ruth')).at(-1)?.subject).toMatch(/expired$/);
  });

  test(`G71: the provider can require approval for all organizations, and one to another organization needs somebody who sees both (${kind})`, async () => {
    const bench = await makeOffice(await open());
    const { office, theirs, join, start, decide, loadTask } = bench;
    const ruth = await join('ruth', ['o365_admin']);
    const cora = await join('cora', ['o365_admin'], [1]);
    const both = await join('both', ['o365_admin'], [1, 2]);
    const owner = await join('owner', ['super-admin']);
    const set = await owner('PUT', `service-providers/${office.tenant}/settings`, {
      restoreApproval: true,
    });
    expect(set.status).toBe(200);
    const task = await start(ruth, { ...OTHER, targetOrganizationId: theirs.organization });
    expect(await loadTask(ruth, task)).toMatchObject({ state: 'awaiting-approval' });
    expect((await loadTask(cora, task)).request?.canDecide).toBe(false);
    expect(await decide(cora, task, 'approve')).toBe('forbidden');
    expect(await decide(both, task, 'approve')).toBe('ok');
    expect(await isScheduled(bench, task)).toBe(true);
  });
});

const loadUserId = ({ ground: { context }, office }: Backups, username: string): Promise<string> =>
  context.store.tenant(office.tenant, async ({ sql }) => {
    const { id } = await sql
      .selectFrom('person')
      .select('id')
      .where('tenant_id', '=', office.tenant)
      .where('username', '=', username)
      .executeTakeFirstOrThrow();
    return id;
  });
