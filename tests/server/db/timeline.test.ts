import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import type { TenantId } from '#contract/ids.ts';
import type { Log } from '#server/platform/app-context.ts';
import { backUp, restoreFrom } from '#server/platform/db/backup-file.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import { freshUrl, missing, QUIET } from './databases.ts';
import { aTenant, byClock, jobDraft } from './drafts.ts';

const dir = mkdtempSync(join(tmpdir(), 'daybook-timeline-'));
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

const warnings: string[] = [];
const log: Log = { ...QUIET.log, warn: (what) => void warnings.push(what) };
const open = (databaseUrl: string): Promise<OpenStore> =>
  openStore({ ...QUIET, log, dataDir: '', databaseUrl });

async function execute(url: string, text: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function getEpoch(url: string, tenant: TenantId): Promise<string> {
  const store = await open(url);
  try {
    return (await store.tenant(tenant, (tx) => tx.head())).epoch;
  } finally {
    await store.close();
  }
}

/** A database with a provider and one event. */
async function makeDatabase(): Promise<{ readonly url: string; readonly tenant: TenantId }> {
  const url = await freshUrl();
  const store = await open(url);
  const tenant = await aTenant(store);
  await store.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
  await store.close();
  return { url, tenant };
}

test.skipIf(missing !== '')(
  `LOG-6: a copy of a PostgreSQL database begins new epochs once, and the database itself keeps its own${missing}`,
  async () => {
    const { url, tenant } = await makeDatabase();
    const epoch = await getEpoch(url, tenant);
    const name = new URL(url).pathname.slice(1);
    const copy = url.replace(name, `${name}_copy`);
    await execute(url.replace(name, 'postgres'), `create database ${name}_copy template ${name}`);
    const now = await getEpoch(copy, tenant);
    expect(now).not.toBe(epoch);
    expect(await getEpoch(copy, tenant)).toBe(now);
    expect(await getEpoch(url, tenant)).toBe(epoch);
  },
);

test.skipIf(missing !== '')(
  `LOG-6, G26: a backup says nothing of where its database was, so it restores into another PostgreSQL database, which keeps the epochs of the restore${missing}`,
  async () => {
    const { url, tenant } = await makeDatabase();
    const file = join(dir, 'backup.gz');
    const from = await open(url);
    await backUp(from, file, 1);
    await from.close();
    const target = await freshUrl();
    const to = await open(target);
    await restoreFrom(to, file);
    const { epoch } = await to.tenant(tenant, (tx) => tx.head());
    await to.close();
    expect(epoch).not.toBe(await getEpoch(url, tenant));
    expect(await getEpoch(target, tenant)).toBe(epoch);
  },
);

test.skipIf(missing !== '')(
  `LOG-6: a PostgreSQL that does not report its timeline is used, and the log says what is missing${missing}`,
  async () => {
    const { url, tenant } = await makeDatabase();
    const epoch = await getEpoch(url, tenant);
    // Found before the functions of the system, as a service may withhold them.
    await execute(
      url,
      `create schema withheld;
      create function withheld.pg_control_system(out system_identifier bigint) language plpgsql as
        $$ begin raise insufficient_privilege; end $$;
      alter database "${new URL(url).pathname.slice(1)}" set search_path = withheld, pg_catalog, public`,
    );
    warnings.length = 0;
    expect(await getEpoch(url, tenant)).toBe(epoch);
    expect(warnings).toEqual([expect.stringMatching(/does not report its timeline/)]);
  },
);
