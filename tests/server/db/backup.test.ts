import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TABLE_NAMES } from '#contract/tables.ts';
import { backUp, restoreFrom } from '#server/platform/db/backup-file.ts';
import { dump, type DumpLine } from '#server/platform/db/dump.ts';
import { sqlName } from '#server/platform/db/projected-tables.ts';
import type { OpenStore } from '#server/platform/db/open.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { reportVerified } from '#server/report-integrity.ts';
import { getRandom } from '../http/hostile.ts';
import { eachDatabase, freshStore } from './databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft, runDraft } from './drafts.ts';

const FLIPS = 64 * Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'daybook-backup-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function filled(store: OpenStore): Promise<string[]> {
  const tenants = [await aTenant(store), await aTenant(store)];
  for (const [index, tenant] of tenants.entries()) {
    await store.tenant(tenant, async (tx) => {
      await tx.append(
        [
          companyDraft(1),
          jobDraft(1),
          problemDraft(1, 1, 1),
          runDraft({ n: 1, problem: 1, message: 'ü "quoted" \\ 💾' }),
        ],
        byClock,
      );
      await tx.append(
        Array.from({ length: 700 + index }, (_, n) => runDraft({ n: n + 2 })),
        byClock,
      );
      await tx.sql
        .insertInto('run_log')
        .values({ tenant_id: tenant, run_n: 1, body: 'ü "log" 💾' })
        .execute();
      const task = {
        name: 'VM "1" ü',
        status: 'Failed',
        startTime: null,
        durationSec: 5,
        bytesTransferred: 9e15,
        bytesProcessed: null,
        message: 'back \\ slash',
      };
      await tx.sql
        .insertInto('run_task')
        .values({ tenant_id: tenant, run_n: 1, tasks: JSON.stringify([task]) })
        .execute();
      // A table with a column that the database calculates.
      await tx.sql
        .insertInto('item')
        .values({
          tenant_id: tenant,
          object_n: 1,
          n: 1,
          folder_key: 'f',
          key: 'k',
          change_key: 'c',
          from_point: 1,
          to_point: null,
          kind: 'mail',
          at: 1,
          changed_at: 1,
          bytes: 5,
          title: 'Budget.xlsx',
          people: 'ann@example.com',
          parts: '[]',
        })
        .execute();
      await tx.sql
        .insertInto('person')
        .values({
          tenant_id: tenant,
          id: crypto.randomUUID(),
          username: 'Ann',
          username_key: 'ann',
          name: 'Ann',
          email: null,
          password_hash: '$argon2id$x',
        })
        .execute();
      await tx.sql
        .insertInto('session')
        .values({
          tenant_id: tenant,
          id: crypto.randomUUID(),
          user_id: crypto.randomUUID(),
          access_hash: 'a',
          access_until: 1,
          refresh_hash: 'r',
          previous_refresh_hash: null,
          rotated_at: 1,
          idle_until: 1,
          absolute_until: 1,
          made_at: 1,
          ended_at: null,
          ip: '',
          agent: '',
        })
        .execute();
      await tx.sql
        .insertInto('trusted_device')
        .values({
          tenant_id: tenant,
          user_id: crypto.randomUUID(),
          id: crypto.randomUUID(),
          hash: 'd',
          previous_hash: null,
          used_at: 1,
          until: 1,
        })
        .execute();
      await tx.sql
        .insertInto('throttle')
        .values({
          tenant_id: tenant,
          bucket: 'account:x',
          failures: 100,
          until: 0,
          at: 1,
          forget_at: null,
        })
        .execute();
    });
  }
  return tenants;
}

async function lines(store: OpenStore): Promise<DumpLine[]> {
  const all: DumpLine[] = [];
  await dump(store, 0, async (line) => void all.push(line));
  return all;
}

/** Epochs differ by design. */
const withoutEpochs = (all: DumpLine[]): unknown =>
  JSON.parse(JSON.stringify(all).replaceAll(/"epoch":"[^"]*"/g, '"epoch":""'));
const epochs = (all: DumpLine[]): string[] =>
  [...JSON.stringify(all).matchAll(/"epoch":"([^"]*)"/g)].map((one) => one[1] ?? '');

/** Runs a part of a command. Returns what it printed, and its exit codes. */
function print(command: () => number[]): { printed: readonly string[]; codes: readonly number[] } {
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    return { printed, codes: command() };
  } finally {
    write.mockRestore();
  }
}

eachDatabase((name, open) => {
  const other = name === 'pglite' ? 'postgres' : 'pglite';
  test(`LOG-6, LOG-12, G22, G26: a backup restored into the other database has the same rows and log under a new epoch, and what was damaged before is named (${name} to ${other})`, async () => {
    const from = await open();
    const tenants = await filled(from);
    const [intact = '', damaged = ''] = tenants;
    await from.system(async (db) => {
      await sql`reset role`.execute(db);
      await sql`select set_config('app.tenant_id', ${damaged}, true)`.execute(db);
      await sql`update event set at = at + 1 where tenant_id = ${damaged} and seq = 3`.execute(db);
      await sql`update run set status = 'Failed' where tenant_id = ${damaged} and n = 7`.execute(
        db,
      );
    });
    const file = join(dir, `${name}.gz`);
    await backUp(from, file, 5);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const to = await freshStore(other);
    expect(await restoreFrom(to, file)).toBe(tenants.length);
    const [before, after] = [await lines(from), await lines(to)];
    expect(withoutEpochs(after)).toEqual(withoutEpochs(before));
    expect(epochs(after).filter((epoch) => epochs(before).includes(epoch))).toEqual([]);
    const hashes = after.filter((line) => line.kind === 'row' && line.table === 'log_hash');
    expect(hashes.length, 'the chain of each log is in it').toBe(2 * tenants.length);
    const verified = await verify(to, { only: [intact, damaged] });
    expect(verified.map(isSound)).toEqual([true, false]);
    expect(verified[1]?.damages).toEqual([{ kind: 'changed', first: 1, last: 4 }]);
    const { printed, codes } = print(() => [
      reportVerified(verified),
      reportVerified(verified.slice(0, 1)),
    ]);
    expect(codes).toEqual([1, 0]);
    expect(printed.join('')).toContain(`${damaged}: events 705, rows `);
    expect(printed).toContain('  event 1–4: changed since it was written\n');
    expect(printed).toContain('  run 7\n');
    const beside = after.flatMap((line) =>
      line.kind === 'row' && (line.table === 'run_log' || line.table === 'run_task')
        ? [line.row]
        : [],
    );
    expect(beside.length, 'logs and objects of runs are in it').toBe(2 * tenants.length);
    expect(
      after.filter((line) => line.kind === 'row' && line.table === 'item').length,
      'items of Microsoft 365 are in it',
    ).toBe(tenants.length);
    for (const left of ['access_hash', 'trusted_device', 'throttle'])
      expect(JSON.stringify(before)).not.toContain(left);
    await expect(restoreFrom(to, file), 'not into a database that holds something').rejects.toThrow(
      'The database is not empty',
    );
    expect(
      (await to.tenant(tenants[0] ?? '', (tx) => tx.append([runDraft({ n: 9000 })], byClock)))[0]
        ?.seq,
    ).toBe(705);
  });

  test(`G26: a backup that was cut or changed is refused and leaves nothing behind (${name})`, async () => {
    const file = join(dir, `${name}.gz`);
    const text = gunzipSync(await readFile(file)).toString();
    const to = await freshStore(name);
    const bad = join(dir, `${name}-bad.gz`);
    const rows = text.split('\n');
    const changes: [string, Buffer][] = [
      ['its end is missing', gzipSync(rows.slice(0, -2).join('\n'))],
      [
        'are not those that were backed up',
        gzipSync(text.replace('"durationSec":60', '"durationSec":61')),
      ],
      [
        'not those that were backed up',
        gzipSync(
          rows
            .filter((row) => !row.includes('"uid":"job-1"') || !row.includes('"table":"job"'))
            .join('\n'),
        ),
      ],
      ['damaged', (await readFile(file)).subarray(0, 2000)],
      ['damaged', Buffer.from('hello')],
    ];
    for (const [why, content] of changes) {
      await writeFile(bad, content);
      await expect(restoreFrom(to, bad)).rejects.toThrow(why);
      expect(await to.tenants()).toEqual([]);
    }
  });

  test(`G26, G22: every flipped bit of a backup is named as damage, and nothing is restored (${name}, seed ${SEED})`, async () => {
    const whole = await readFile(join(dir, `${name}.gz`));
    const to = await freshStore(name);
    const bad = join(dir, `${name}-flipped.gz`);
    const random = getRandom(SEED);
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtException', note);
    try {
      for (let flip = 0; flip < FLIPS; flip += 1) {
        // The ten bytes before are gzip's own, and say nothing of the content.
        const at = 10 + random.below(whole.length - 10);
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
        await writeFile(bad, bytes);
        const found = await restoreFrom(to, bad).then(
          () => 'restored',
          (error: Error) => `${error.name}: ${error.message}`,
        );
        expect([at, found]).toEqual([
          at,
          'BadBackup: This is not a backup of Daybook, or it is damaged.',
        ]);
      }
      await new Promise((resolve) => void setImmediate(resolve));
      expect(uncaught).toEqual([]);
      expect(await to.tenants()).toEqual([]);
    } finally {
      process.off('uncaughtException', note);
    }
  });

  test(`G26: a backup made before tables and columns were added restores: the tables are empty, the columns have their defaults (${name})`, async () => {
    const from = await freshStore(name);
    const tenant = await aTenant(from);
    await from.tenant(tenant, async (tx) => {
      await tx.append([companyDraft(1), jobDraft(1), runDraft({ n: 1 })], byClock);
      await tx.sql
        .insertInto('person')
        .values({
          tenant_id: tenant,
          id: crypto.randomUUID(),
          username: 'Ann',
          username_key: 'ann',
          name: 'Ann',
          email: null,
          password_hash: null,
        })
        .execute();
    });
    const now = await lines(from);
    const file = join(dir, `${name}-older.gz`);
    const put = (all: readonly DumpLine[]): Promise<void> =>
      writeFile(file, gzipSync(all.map((line) => `${JSON.stringify(line)}\n`).join('')));
    await put(now.map((line) => older(line, NEWER)));
    const to = await freshStore(name);
    await restoreFrom(to, file);
    expect(
      withoutEpochs(await lines(to)),
      'all of it is there, as if it had been backed up now',
    ).toEqual(withoutEpochs(now));
    const empty = await freshStore(name);
    await put(now.map((line) => older(line, [...NEWER, 'company'], ['company'])));
    await expect(restoreFrom(empty, file), 'rows that the sum does not tell of').rejects.toThrow(
      'are not those that were backed up',
    );
    await put(
      now.map((line): DumpLine =>
        line.kind === 'row' && line.table === 'person'
          ? { ...line, row: { ...line.row, shoe_size: 44 } }
          : line,
      ),
    );
    await expect(restoreFrom(empty, file)).rejects.toThrow(
      'a column that is not known: person.shoe_size',
    );
    expect(await empty.tenants()).toEqual([]);
  });

  test(`G26, LOG-10: a backup of an older version restores under the names of today (${name})`, async () => {
    const from = await freshStore(name);
    const tenant = await aTenant(from);
    const { event, ...job } = jobDraft(1);
    const schedule = { type: 'every', everySec: 3_600 };
    await from.tenant(tenant, async (tx) => {
      await tx.append(
        [
          companyDraft(1),
          { ...job, event: { ...event, data: { ...event.data, schedule } } as never },
        ],
        byClock,
      );
      // Two by different people: the author of what can be undone is that of its own event.
      const subscription = crypto.randomUUID();
      const about = { company: 1, entity: `subscription:${subscription}` };
      for (const [at, change] of [
        { type: 'subscription.started@1', data: { id: subscription, ...SUBSCRIPTION } },
        { type: 'subscription.trialChanged@1', data: { id: subscription, trialEndsAt: 9 } },
        { type: 'subscription.cancelled@1', data: { id: subscription } },
      ].entries())
        await tx.append([{ ...about, event: change as never }], {
          ...byClock,
          actor: { kind: 'user', id: crypto.randomUUID() },
          at: byClock.at + at,
        });
      await tx.sql
        .insertInto('sign_up')
        .values({
          tenant_id: tenant,
          id: crypto.randomUUID(),
          email_key: 'ann@example.com',
          email: 'ann@example.com',
          name: 'Ann',
          company: 'Acme',
          level: 'basic',
          password_hash: '$argon2id$x',
          token_hash: 't',
          sealed_token: null,
          made_at: 1,
          verified_at: null,
          captcha_at: null,
          session_id: null,
          ready_at: null,
          until: 1,
        })
        .execute();
    });
    const now = await lines(from);
    const file = join(dir, `${name}-former.gz`);
    await writeFile(
      file,
      gzipSync(now.map((line) => `${JSON.stringify(toFormer(line))}\n`).join('')),
    );
    const to = await freshStore(name);
    expect(await restoreFrom(to, file)).toBe(1);
    // Nobody had verified the address when the password was chosen.
    expect(withoutEpochs(await lines(to))).toEqual(
      JSON.parse(JSON.stringify(withoutEpochs(now)).replace('$argon2id$x', '')) as unknown,
    );
    expect((await rebuild(to)).flatMap((one) => one.differences)).toEqual([]);
  });
});

const withName = (
  one: Readonly<Record<string, unknown>>,
  current: string,
  former: string,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name === current ? former : name, value]),
  );

const SUBSCRIPTION = {
  company: 1,
  status: 'active',
  currency: 'EUR',
  level: 'basic',
  userMills: 2_500,
  gigabyteMills: 0,
  minimumUsers: 0,
  periodEndsAt: 9_000_000_000_000,
  trialEndsAt: null,
  hasCard: false,
};

/** A line of a backup as the version before wrote it, with the row of a job as it was then. */
function toFormer(line: DumpLine): object {
  if (line.kind === 'row' && line.table === 'subscription') {
    const { undo, ...row } = line.row['row'] as { readonly undo: { readonly by?: string } };
    const { by: _, ...former } = undo;
    return withName({ ...line, row: { ...line.row, row: { ...row, undo: former } } }, 'kind', 'is');
  }
  if (line.kind !== 'row' || line.table !== 'job') return withName(line, 'kind', 'is');
  const row = line.row['row'] as { readonly schedule: Readonly<Record<string, unknown>> };
  const former = { ...row, schedule: withName(row.schedule, 'type', 'is') };
  return withName({ ...line, row: { ...line.row, row: former } }, 'kind', 'is');
}

/** The tables of rows that folds fill, as of the second step. */
const SECOND: ReadonlySet<string> = new Set(
  'company user job stat run cause problem key computer repository hint rule ticket'.split(' '),
);
/** What later steps have added. */
const NEWER: readonly string[] = [
  ...TABLE_NAMES.filter((name) => !SECOND.has(name)).map((name) => sqlName(name)),
  'run_task',
  'totp',
  'recovery_code',
  'passkey',
  'identity',
  'security_answer',
  'audit',
  'outgoing',
  'secret',
  'notification',
  'notification_ack',
  'brand_asset',
];
const ADDED: Readonly<Record<string, readonly string[]>> = {
  person: [
    'auth',
    'mobile_phone',
    'office_phone',
    'password_reset',
    'force_questions',
    'phone_updated_once',
    'language',
    'time_zone',
    'terms_at',
    'password_at',
    'settings',
  ],
  provider: ['settings'],
  tenant_list: ['master_id'],
};

const without = <T>(
  one: Readonly<Record<string, T>>,
  names: readonly string[],
): Record<string, T> =>
  Object.fromEntries(Object.entries(one).filter(([key]) => !names.includes(key)));

/**
 * A line as it would be in a backup of the second step, of which the sum does not tell of `tables`;
 * `stored`: rows that are there all the same.
 */
function older(line: DumpLine, tables: readonly string[], stored: string[] = []): DumpLine {
  if (line.kind === 'begin') return { ...line, step: '0002' };
  if (line.kind === 'sum')
    return { ...line, sum: { ...line.sum, rows: without(line.sum.rows, tables) } };
  if (line.kind !== 'row') return line;
  if (tables.includes(line.table) && !stored.includes(line.table))
    throw new Error(`there is a row of ${line.table}`);
  return { ...line, row: without(line.row, ADDED[line.table] ?? []) };
}
