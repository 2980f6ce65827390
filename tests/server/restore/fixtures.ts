import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { makeCompareCalls } from '#server/engine/embedded/compare/compare.ts';
import { makeGraphConnections } from '#server/engine/embedded/organizations/access.ts';
import { makeRestoreRights } from '#server/engine/embedded/restore/rights/rights.ts';
import { makeRestoreCalls } from '#server/engine/embedded/restore/restore-engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import { type Made, makeAll } from '../backup/fixtures.ts';
import { recordingEngine, type RecordingEngine } from '../backup/recording-engine.ts';
import { type Copy, POINT_AT, storeHistory } from '../engine/explorer/history.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';

/** Two companies, each with an organization whose mailboxes have three restore points. */
export interface Backups {
  readonly ground: Fixture;
  readonly engine: AppContext['embeddedEngine'];
  readonly office: Office;
  readonly admin: Asker;
  readonly ours: Made;
  readonly theirs: Made;
}

export interface RecordedBackups extends Backups {
  /** What needs a tenant. */
  readonly recording: RecordingEngine;
}

export const AFTER_ALL = POINT_AT(10);
const FOLDERS = [
  { key: 'inbox', parent: null, name: 'Inbox' },
  { key: 'old', parent: 'inbox', name: 'Old' },
];
const mail = (owner: string, n: number, folder = 'inbox') => ({
  key: `${owner}-${n}`,
  folder,
  title: `${owner} mail ${n}`,
  at: 1_700_000_000_000 + n,
  bytes: 100 + n,
});

/** The second point adds a mail, the third loses one. */
const getCopies = (owner: string): readonly Copy[] => [
  { folders: FOLDERS, items: [mail(owner, 1), mail(owner, 2, 'old')] },
  { folders: FOLDERS, items: [mail(owner, 1), mail(owner, 2, 'old'), mail(owner, 3)] },
  { folders: FOLDERS, items: [mail(owner, 2, 'old'), mail(owner, 3)] },
];

/** Opens a restore session at the newest point, and returns its id. */
export async function openSession(
  who: Asker,
  { organization }: Made,
  more: object = {},
): Promise<string> {
  const { status, text, body } = await who<{ id: string }>('POST', 'o365/restore/restoresessions', {
    organizationId: organization,
    datetime: AFTER_ALL,
    sessionType: 'Vex',
    ...more,
  });
  if (status !== 200) throw new Error(text);
  return body.data.id;
}

/** The embedded engine reads its index here; what needs a tenant is recorded. */
export async function someBackups(store?: Store): Promise<RecordedBackups> {
  const recording = recordingEngine();
  const plain = await makeFixture({}, store);
  const connections = makeGraphConnections(() => plain.context);
  const engine: AppContext['embeddedEngine'] = {
    ...plain.context.embeddedEngine,
    ...recording.engine,
    ...makeCompareCalls(
      () => plain.context,
      connections,
      (tenant, repository) => plain.context.embeddedEngine.restores.openContent(tenant, repository),
    ),
    ...makeRestoreCalls(() => plain.context, {
      ...makeRestoreRights(() => plain.context, connections),
      // The organizations of these tests have no tenant.
      allow: (_, write) => Promise.resolve({ ok: true, value: { grant: null, ...write } }),
    }),
  };
  const fixture: Fixture = {
    ...plain,
    context: { ...plain.context, embeddedEngine: engine },
  };
  const office = await anOffice(fixture);
  const admin = await office.as('restorer', ['o365_admin']);
  const ours = await makeAll(admin, 1, 'Calloway');
  recording.directory = randomUUID();
  const theirs = await makeAll(admin, 2, 'Drummond');
  await storeHistory(fixture.context.store, office.tenant, getCopies('Ann'), 1, ours);
  await storeHistory(fixture.context.store, office.tenant, getCopies('Bob'), 2, ours);
  await storeHistory(fixture.context.store, office.tenant, getCopies('Canary'), 3, theirs);
  return { ground: fixture, engine, recording, office, admin, ours, theirs };
}

/** Ends a restore as if `count` of its items had failed. */
export const failItems = (
  { ground: { context }, office }: Backups,
  task: string,
  count: number,
): Promise<void> =>
  context.store.tenant(office.tenant, async ({ sql: db, tenant }) => {
    await sql`insert into restore_item (tenant_id, task_id, n, object_n, item_n, name, path, state, outcome)
      select h.tenant_id, ${task}::uuid, n, 1, 1, 'Ann mail 1', '[]', 'done', 'failed' from head as h, generate_series(1, ${count}::int) as n
      where h.tenant_id = ${tenant}`.execute(db);
    const progress = { counts: { restored: 0, merged: 0, skipped: 0, failed: count } };
    await sql`update engine_task set state = 'done', progress = ${JSON.stringify(progress)}::text::jsonb
      where tenant_id = ${tenant} and id = ${task}::uuid`.execute(db);
  });
