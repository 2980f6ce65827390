import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { openStore } from '#server/platform/db/open.ts';
import { freshUrl, missing, QUIET } from './databases.ts';

async function showJit(databaseUrl: string): Promise<unknown> {
  const store = await openStore({ ...QUIET, dataDir: '', databaseUrl });
  try {
    const { rows } = await store.system((db) => sql<{ jit: string }>`show jit`.execute(db));
    return rows[0]?.jit;
  } finally {
    await store.close();
  }
}

test.skipIf(missing !== '')(
  `STORE-25: PostgreSQL compiles no statement, unless the URL asks for it${missing}`,
  async () => {
    const url = new URL(await freshUrl());
    const client = new Client(url.href);
    await client.connect();
    await client.query(`alter database "${url.pathname.slice(1)}" set jit = on`);
    await client.end();
    expect(await showJit(url.href)).toBe('off');
    url.searchParams.set('options', '-c jit=on');
    expect(await showJit(url.href)).toBe('on');
  },
);
