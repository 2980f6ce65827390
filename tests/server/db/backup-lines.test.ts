import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUp, restoreFrom } from '#server/platform/db/backup-file.ts';
import { eachDatabase, freshStore } from './databases.ts';
import { aTenant } from './drafts.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'daybook-backup-lines-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

eachDatabase((kind) => {
  test(`G26: lines of a backup that have another form are refused, and nothing is written (${kind})`, async () => {
    const from = await freshStore(kind);
    await aTenant(from);
    const good = join(dir, `${kind}-good.gz`);
    const bad = join(dir, `${kind}-form.gz`);
    await backUp(from, good, 0);
    const lines = gunzipSync(await readFile(good))
      .toString('utf8')
      .trimEnd()
      .split('\n');
    const to = await freshStore(kind);
    for (const form of [
      'null',
      '5',
      '[]',
      '{}',
      '{"kind":"rows"}',
      '{"kind":"begin","format":1}',
      '{"kind":"row","table":"head"}',
      '{"kind":"row","table":"head","row":[1]}',
      '{"kind":"row","table":["head"],"row":{}}',
      '{"kind":"tenant","tenant":"one"}',
      '{"kind":"sum","tenant":"3bd6ddec-b663-4e93-bb20-bad713970d02","sum":null}',
      '{"kind":"sum","tenant":"3bd6ddec-b663-4e93-bb20-bad713970d02","sum":{"seq":1,"log":"","rows":{"head":"1"}}}',
      '{"kind":"end","tenants":"1"}',
    ]) {
      await writeFile(bad, gzipSync([...lines.slice(0, 2), form, ...lines.slice(2)].join('\n')));
      const found = await restoreFrom(to, bad).then(
        () => 'restored',
        (error: Error) => `${error.name}: ${error.message}`,
      );
      expect([form, found]).toEqual([
        form,
        'BadBackup: This is not a backup of Daybook, or it is damaged.',
      ]);
    }
    expect(await to.tenants()).toEqual([]);
  });
});
