import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../db/databases.ts';
import { aTeam } from './team-bench.ts';

eachDatabase((kind, open) => {
  test(`RES-3: a restore ends although stored posts, tabs and settings are no JSON, and each says so (${kind})`, async () => {
    const bench = await aTeam(await open());
    const { restore, office, top, fixture, tenant } = bench;
    // As a repository of another server may have it: the content is whole, and something else.
    await fixture.context.store.tenant(tenant, async ({ sql: db }) => {
      const { rows } = await sql<{ readonly content: object }>`
        select jsonb_build_object('blobs', raw -> 'blobs', 'bytes', raw -> 'bytes', 'crc', raw -> 'crc') as content
        from item as file, jsonb_array_elements(file.parts) as raw
        where file.tenant_id = ${tenant} and file.kind = 'file' and raw ->> 'as' = 'raw' limit 1`.execute(
        db,
      );
      await sql`
        update item set parts = (
          select jsonb_agg(case when part ->> 'as' = 'json' then part || ${JSON.stringify(rows[0]?.content)}::text::jsonb else part end)
          from jsonb_array_elements(item.parts) as part
        ) where tenant_id = ${tenant} and kind in ('file', 'post', 'tab', 'settings')`.execute(db);
    });
    for (const dryRun of [true, false]) {
      const { done, results } = await restore([top], { dryRun });
      expect(done.result).toBe('warning');
      const failed = results.filter(({ outcome }) => outcome === 'failed');
      expect(failed).not.toEqual([]);
      expect(new Set(failed.map(({ message }) => message)).size).toBe(1);
    }
    office.close();
  });
});
