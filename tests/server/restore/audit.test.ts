import { sql as query } from 'kysely';
import { expect, test } from 'vitest';
import { deleteOldAudit } from '#server/features/restore/audit/retention.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import { SPEC } from '../../contract/restore/spec-calls.ts';
import { eachDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aLibrary, type Library } from './content.ts';
import { MAILS, mailFile } from './downloading.ts';

interface Entry {
  readonly _id: string;
  readonly at: number;
  readonly action: string;
  readonly words: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly object: string | null;
  readonly item: string | null;
  readonly user: { readonly username: string } | null;
  readonly actedAs: { readonly username: string } | null;
  readonly isAutomatic: boolean;
  readonly ip: string;
  readonly agent: string;
  readonly sessionId: string | null;
}
interface Audit {
  readonly rows: readonly Entry[];
  readonly next: string | null;
  readonly count: number | null;
  readonly users: readonly { readonly name: string }[];
}

/** Calls of the specification that show nothing of a backup, and why. */
const NOTHING_SHOWN: Readonly<Record<string, string>> = {
  'POST o365/restore/devicecode': 'asks Microsoft for rights to write',
  'POST o365/restore/token': 'grants rights to write',
  'POST o365/restore/background-downloads': 'how far the own downloads are',
  'GET o365/restore/background-downloads/{id}': 'how far an own download is',
};
const SESSION_OF = { mailboxes: 'Vex', onedrives: 'Veod', sites: 'Vesp', teams: 'Vet' } as const;
const OBJECT_OF = { mailboxes: 1, onedrives: 2, sites: 3, teams: 4 } as const;
type Part = keyof typeof SESSION_OF;
const KINDS = { mailboxes: 'mailbox', onedrives: 'drive', sites: 'site', teams: 'team' } as const;
const PARTS = Object.keys(SESSION_OF) as Part[];

/** What a call of the specification does, by the words of its path. */
function getAction(call: string): string {
  if (call.endsWith('/download-size')) return 'size';
  if (call.endsWith('/download') || call.includes('background-downloads')) return 'download';
  if (call.endsWith('/restore')) return 'restore';
  if (call.endsWith('restoresessions') || call.endsWith('/stop')) return 'session';
  return 'list';
}

const list = async (who: Asker, query = ''): Promise<Audit> => {
  const { status, text, body } = await who<Audit>('GET', `o365/restore/audit${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
};

async function aStoredLibrary(open: Parameters<typeof aLibrary>[0]): Promise<Library> {
  const library = await aLibrary(open);
  for (const part of PARTS) await library.store(library.ours, OBJECT_OF[part], KINDS[part], MAILS);
  return library;
}

const openAs = async (who: Asker, { ours }: Library, sessionType: string): Promise<string> => {
  const { text, body } = await who<{ id: string }>('POST', 'o365/restore/restoresessions', {
    organizationId: ours.organization,
    datetime: 1_900_000_000_000,
    sessionType,
  });
  if (!body.success) throw new Error(text);
  return body.data.id;
};

eachDatabase((kind, open) => {
  test(`RES-55: each call of the specification that opens, lists, restores or downloads has its entry: who, what, from where and when (${kind})`, async () => {
    const library = await aStoredLibrary(await open());
    const { admin, ours, ground: fixture } = library;
    const missing: string[] = [];
    const calls = SPEC.filter((call) => call.includes(' o365/restore/'));
    expect(calls.length).toBeGreaterThan(50);
    for (const call of calls) {
      if (NOTHING_SHOWN[call] !== undefined) continue;
      const [method = '', path = ''] = call.split(' ');
      const part = PARTS.find((one) => path.includes(`/${one}`)) ?? 'mailboxes';
      const n = OBJECT_OF[part];
      fixture.pass(1_000);
      const session = await openAs(admin, library, SESSION_OF[part]);
      const ids: Readonly<Record<string, string>> = {
        restoreSessionId: session,
        mailboxId: `o${n}`,
        onedriveId: `o${n}`,
        siteId: `o${n}`,
        teamId: `o${n}`,
        folderId: `f${n}.1`,
        listId: `f${n}.1`,
        libraryId: `f${n}.1`,
        channelId: `f${n}.1`,
        id: path.includes('background-downloads/{id}')
          ? await makeDownload(library, session, part, call.endsWith('/file'))
          : '',
      };
      const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? name);
      const item = [`i${n}.1`];
      const body = getBody(call, library, item);
      const query = path.endsWith('restorepoints') ? `?organizationId=${ours.organization}` : '';
      const before = new Set((await list(admin, '?limit=1000')).rows.map(({ _id }) => _id));
      const answer = await admin(method, `${filled}${query}`, body);
      expect([call, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([
        call,
        200,
        '',
      ]);
      const { rows } = await list(admin, '?limit=1000');
      const added = rows.filter(({ _id }) => !before.has(_id));
      const entry = added.find(({ action }) => action === getAction(call));
      if (entry === undefined) {
        missing.push(`${call}: ${added.map(({ action }) => action).join()}`);
        continue;
      }
      expect([call, entry]).toMatchObject([
        call,
        {
          at: fixture.context.clock.now(),
          organizationId: ours.organization,
          organizationName: 'Calloway',
          user: { username: 'restorer' },
          actedAs: null,
          ip: '192.0.2.7',
        },
      ]);
      expect([call, entry.words]).not.toEqual([call, '']);
      if (path.includes(`/${part}/`) && !call.includes('download-size'))
        expect([call, entry.object]).toEqual([call, `Person ${n}`]);
    }
    expect(missing).toEqual([]);
    // The reasons are about calls of the specification.
    expect(Object.keys(NOTHING_SHOWN).filter((call) => !SPEC.includes(call))).toEqual([]);
  });

  test(`RES-55: the audit shows searches and previews without their words, is filtered and exported, and belongs to the customer and the provider (${kind})`, async () => {
    const library = await aStoredLibrary(await open());
    const { admin, ours, theirs, office, ground: fixture } = library;
    await library.store(theirs, 9, 'mailbox', [mailFile('Canary')]);
    const cora = await office.as('cora', ['o365_admin'], [1]);
    const dora = await office.as('dora', ['o365_admin'], [2]);
    const session = await openAs(cora, library, 'Vex');
    const at = `o365/restore/restoresessions/${session}/mailboxes`;
    fixture.pass(1_000);
    await cora('GET', `${at}/o1/items?parentId=f1.1&search=merger`);
    fixture.pass(1_000);
    await cora('POST', `${at}/o1/items/i1.1/preview`, {});
    fixture.pass(60_000);
    const later = fixture.context.clock.now();
    await admin('GET', `o365/restore/restorepoints?organizationId=${theirs.organization}`);

    const own = await list(cora);
    expect(own.rows.map(({ action, object, item }) => [action, object, item])).toEqual([
      ['preview', 'Person 1', 'Report'],
      ['search', 'Person 1', 'Inbox'],
      ['session', null, null],
    ]);
    expect(JSON.stringify(own)).not.toMatch(/merger/);
    expect(own.users.map(({ name }) => name)).toEqual(['CORA']);
    expect((await list(dora)).rows.map(({ user }) => user?.username)).toEqual(['restorer']);
    // Roles and organizations are set up by the same administrator, and are no reading.
    expect((await list(admin)).count).toBe(4);
    const count = async (query: string): Promise<number | null> => (await list(admin, query)).count;
    expect(await count(`?organizationId=${ours.organization}`)).toBe(3);
    expect(await count('?action=search')).toBe(1);
    expect(await count(`?sessionId=${session}`)).toBe(3);
    expect(await count(`?from=${later}`)).toBe(1);
    expect(await count(`?to=${later}`)).toBe(3);
    const first = await list(admin, '?limit=3');
    const second = await list(admin, `?limit=3&cursor=${first.next}`);
    expect([first.rows.length, second.rows.length, second.next]).toEqual([3, 1, null]);
    expect((await admin('GET', 'o365/restore/audit?cursor=x')).status).toBe(400);
    const file = await cora('GET', 'o365/restore/audit/export?action=search');
    const [head, line, ...rest] = file.text.trim().split('\r\n');
    expect(head).toContain('Mailbox, OneDrive, site or team');
    expect(line).toContain('Content searched');
    expect(line).toContain('192.0.2.7');
    expect(rest).toEqual([]);
    // The end of a restore is the server's, not that of a user who has left.
    const { context } = fixture;
    fixture.pass(1_000);
    await context.store.tenant(office.tenant, (tx) =>
      auditOrigin(tx, context, {
        what: 'restoretask.ended',
        user: null,
        detail: { organization: ours.organization },
        at: context.clock.now(),
        origin: { ip: '', agent: '', actor: null, impersonation: null, key: null },
      }),
    );
    const automatic = (await list(admin)).rows.map(({ isAutomatic, user }) => [
      isAutomatic,
      user === null,
    ]);
    expect(automatic).toEqual([[true, true], ...Array.from({ length: 4 }, () => [false, false])]);
    const ended = await admin('GET', 'o365/restore/audit/export?action=restore');
    expect(ended.text.trim().split('\r\n').at(-1)).toContain(',Automatic,');
    expect(
      (await (await office.as('olga', ['operator']))('GET', 'o365/restore/audit')).status,
    ).toBe(403);
  });

  test(`RES-55: rights to write, imports and restores are in the audit by name, and an export that would be cut is refused (${kind})`, async () => {
    const library = await aStoredLibrary(await open());
    const { admin, ours, office, ground: fixture } = library;
    const { context } = fixture;
    const origin = { ip: '', agent: '', actor: null, impersonation: null, key: null };
    const record = (what: string, detail: object = {}) =>
      context.store.tenant(office.tenant, (tx) =>
        auditOrigin(tx, context, {
          what,
          user: null,
          detail: { organization: ours.organization, ...detail },
          at: context.clock.now(),
          origin,
        }),
      );
    for (const what of ['restorerights.granted', 'restorerights.removed', 'import.ended']) {
      fixture.pass(1_000);
      await record(what);
    }
    expect((await list(admin)).rows.map(({ action, words }) => [action, words])).toEqual([
      ['import', 'Import ended'],
      ['rights', 'Rights to write removed'],
      ['rights', 'Rights to write granted'],
    ]);
    expect((await list(admin, '?action=rights')).count).toBe(2);

    const task = context.chance.uuid();
    await context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      const values = { tenant_id: tenant, task_id: task, path: '[]', state: 'planned' as const };
      await sql
        .insertInto('restore_item')
        .values([
          { ...values, n: 1, object_n: 1, item_n: 1, name: 'Offer' },
          { ...values, n: 2, object_n: 1, item_n: 2, name: 'Answer' },
        ])
        .execute();
    });
    fixture.pass(1_000);
    await record('restoretask.ended', { task });
    const [ended] = (await list(admin)).rows;
    expect([ended?.object, ended?.item]).toEqual(['Person 1', '2 items']);

    await context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      const { rows } = await query<{ columns: string }>`
        select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
        where table_name = 'audit' and column_name not in ('id', 'organization')`.execute(sql);
      const columns = query.raw(rows[0]?.columns ?? '');
      await query`
        insert into audit (id, ${columns}) select md5(id::text || i::text)::uuid, ${columns}
        from audit, generate_series(1, 13000) as i where tenant_id = ${tenant} and organization = ${ours.organization}`.execute(
        sql,
      );
    });
    const refused = await admin('GET', 'o365/restore/audit/export');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('50,000')]);
    const part = await admin('GET', 'o365/restore/audit/export?action=rights');
    expect(part.text.trim().split('\r\n')).toHaveLength(2 * 13_001 + 1);
  });

  test(`RES-56: the audit is append-only, and entries end when the provider no longer stores them (${kind})`, async () => {
    const library = await aStoredLibrary(await open());
    const { admin, ours, office, ground: fixture } = library;
    await admin('GET', `o365/restore/restorepoints?organizationId=${ours.organization}`);
    const { store, clock } = fixture.context;
    const count = async (): Promise<number | null> => (await list(admin)).count;
    const run = (years: number | null): Promise<void> =>
      store.tenant(office.tenant, async (tx) => {
        const { settings } = await tx.sql
          .selectFrom('provider')
          .select('settings')
          .where('tenant_id', '=', tx.tenant)
          .executeTakeFirstOrThrow();
        await tx.sql
          .updateTable('provider')
          .set({ settings: JSON.stringify({ ...settings, restoreAuditYears: years }) })
          .where('tenant_id', '=', tx.tenant)
          .execute();
        await deleteOldAudit(tx, clock.now());
      });
    expect(await count()).toBe(1);
    await expect(
      store.tenant(office.tenant, ({ sql, tenant }) =>
        sql.updateTable('audit').set({ ip: '' }).where('tenant_id', '=', tenant).execute(),
      ),
    ).rejects.toThrow(/permission denied/);
    await store.tenant(office.tenant, ({ sql, tenant }) =>
      sql.deleteFrom('audit').where('tenant_id', '=', tenant).execute(),
    );
    expect(await count()).toBe(1);
    fixture.pass(400 * 86_400_000);
    await run(null);
    await run(2);
    const again = await office.as('later', ['o365_admin']);
    expect((await list(again)).count).toBe(1);
    await run(1);
    expect((await list(again)).count).toBe(0);
  });
});

/** What a call needs beside its path. */
function getBody(call: string, { ours }: Library, item: readonly string[]): object | undefined {
  if (call.startsWith('GET ') || call.startsWith('DELETE ')) return undefined;
  if (call.endsWith('restoresessions'))
    return {
      organizationId: ours.organization,
      datetime: 1_900_000_000_000,
      sessionType: 'Vex',
    };
  if (call.endsWith('/stop')) return {};
  if (call.endsWith('background-downloads/{id}')) return { action: 'cancel' };
  const field = /\/(items|documents|files|tabs)\/(?:restore|download)$/.exec(call)?.[1];
  const chosen = field === undefined ? {} : { [field]: item };
  if (call.endsWith('/download-size')) return { nodes: item };
  if (call.endsWith('/restore')) return { ...chosen, dryRun: true };
  return chosen;
}

/** A download in the background; its only file is ready if it has to be. */
async function makeDownload(
  { admin, office, ground: { context } }: Library,
  session: string,
  part: Part,
  isReady: boolean,
): Promise<string> {
  const { text, body } = await admin<{ id: string }>(
    'POST',
    `o365/restore/restoresessions/${session}/${part}/o${OBJECT_OF[part]}/download`,
    { downloadInBackground: true },
  );
  if (!body.success) throw new Error(text);
  const { id } = body.data;
  if (!isReady) return id;
  return context.store.tenant(office.tenant, async ({ sql, tenant }) => {
    await sql
      .updateTable('background_download')
      .set({ state: 'ready' })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute();
    await sql
      .insertInto('background_part')
      .values({
        tenant_id: tenant,
        download_id: id,
        n: 1,
        name: 'a.zip',
        bytes: 1,
        sha256: 'x',
        next_item: 1,
        bytes_read: 1,
        failed: 0,
      })
      .execute();
    return id;
  });
}
