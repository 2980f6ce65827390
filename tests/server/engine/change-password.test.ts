import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { BackupRepositoryId } from '#contract/ids.ts';
import { changePassword } from '#server/engine/embedded/repositories/change-password.ts';
import { cleanUp } from '#server/engine/embedded/repositories/clean-up-job.ts';
import {
  createRepository,
  findStoredRepository,
  makeRepositoryTarget,
} from '#server/engine/embedded/repositories/repositories.ts';
import { openRepository } from '#server/engine/embedded/restic/repository.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { eachDatabase } from '../db/databases.ts';
import { getKind, getValue, makeFolder, tools } from './restic/fixtures.ts';
import { makeSessionBench, type SessionBench, withoutWaits } from './session-bench.ts';

const HOUR = 3_600_000;
/** Random bytes of a new key file. */
const SALT_BYTES = 64;

/** A server with a folder of its own for repositories. */
function makeContext(bench: SessionBench): AppContext {
  const context = withoutWaits(bench);
  return { ...context, config: { ...context.config, repositoriesDir: makeFolder() } };
}

/** A server that dies at a transaction. */
function dyingAt(context: AppContext, transaction: number): AppContext {
  let n = 0;
  return {
    ...context,
    store: {
      ...context.store,
      tenant(...how: Parameters<AppContext['store']['tenant']>) {
        n += 1;
        if (n >= transaction) throw new Error('killed');
        return context.store.tenant(...how);
      },
    } as AppContext['store'],
  };
}

eachDatabase((kind, open) => {
  test(`ENG-12: a former password opens nothing once it was changed, wherever a crash interrupted that (${kind})`, async () => {
    const bench = await makeSessionBench(await open(), []);
    const { tenant } = bench;
    const context = makeContext(bench);
    const scope = { tenant } as Parameters<typeof changePassword>[1];
    const transactions = [1, 2, 3, 4, 5, 6, 7];
    for (const transaction of transactions) {
      const repository = randomUUID() as BackupRepositoryId;
      const input = { repository, passwordHint: null };
      getValue(
        await createRepository(context, scope, { ...input, password: 'leaked', storage: null }),
      );
      const opens = async (password: string): Promise<string> => {
        const target = makeRepositoryTarget(context, tenant, repository, null);
        const opened = await openRepository(target, { ...tools(), password, lock: 'none' });
        if (!opened.ok) return opened.error.kind;
        getValue(await opened.value.close());
        return 'opens';
      };
      const died = await changePassword(dyingAt(context, transaction), scope, {
        ...input,
        password: 'second',
      }).catch(() => null);
      const stored = getValue(await findStoredRepository(context, tenant, repository));
      // Whatever happened, the password that is stored opens the repository.
      expect(await opens(stored.password)).toBe('opens');
      if (died === null) {
        bench.ground.pass(2 * HOUR);
        await bench.append({
          type: 'backuprepository.created@1',
          data: {
            id: repository,
            company: 1,
            organization: bench.organization,
            target: { type: 'Folder' },
            name: `Repository ${transaction}`,
            description: '',
            passwordDescription: '',
            retentionType: 'SnapshotBased',
            retentionPolicy: 'Keep',
            shortened: null,
            proxy: null,
            deletesAt: null,
          } as never,
        });
        await cleanUp(context, (of, id) => findStoredRepository(context, of, id))({
          tenant: tenant,
          payload: { repository },
          now: context.clock.now(),
          signal: new AbortController().signal,
        });
      }
      // Nobody knows a password of a change that was never stored.
      if (stored.password === 'leaked' && died === null)
        expect(await opens('second')).toBe('refused');
      if (stored.password === 'second') expect(await opens('leaked')).toBe('refused');
      else getValue(await changePassword(context, scope, { ...input, password: 'third' }));
      expect(await opens('leaked')).toBe('refused');
    }
  });

  test(`ENG-12: of two changes at the same time one is refused, and only its password opens nothing (${kind})`, async () => {
    const bench = await makeSessionBench(await open(), []);
    const context = makeContext(bench);
    const scope = { tenant: bench.tenant } as Parameters<typeof changePassword>[1];
    const repository = randomUUID() as BackupRepositoryId;
    const input = { repository, passwordHint: null };
    getValue(await createRepository(context, scope, { ...input, password: 'old', storage: null }));
    let isFirst = true;
    // The second begins and ends while the first has opened the repository, and stored nothing.
    const slow: AppContext = {
      ...context,
      chance: {
        ...context.chance,
        bytes(count) {
          if (count === SALT_BYTES && isFirst) {
            isFirst = false;
            other = changePassword(context, scope, { ...input, password: 'of another' });
          }
          return context.chance.bytes(count);
        },
      },
      store: {
        ...context.store,
        async tenant(...how: Parameters<AppContext['store']['tenant']>) {
          await other;
          return context.store.tenant(...how);
        },
      } as AppContext['store'],
    };
    let other: Promise<unknown> | null = null;
    const changed = await changePassword(slow, scope, { ...input, password: 'own' });
    await expect(other).resolves.toMatchObject({ ok: true });
    expect(getKind(changed)).toBe('conflict');
    const stored = getValue(await findStoredRepository(context, bench.tenant, repository));
    expect(stored.password).toBe('of another');
    for (const [password, result] of [
      ['old', 'refused'],
      ['own', 'refused'],
      ['of another', 'opens'],
    ] as const) {
      const target = makeRepositoryTarget(context, bench.tenant, repository, null);
      const opened = await openRepository(target, { ...tools(), password, lock: 'none' });
      expect([password, opened.ok ? 'opens' : opened.error.kind]).toEqual([password, result]);
      if (opened.ok) getValue(await opened.value.close());
    }
  });

  test(`ENG-12: a hint that gives the password away in other letters, widths or spaces is refused (${kind})`, async () => {
    const bench = await makeSessionBench(await open(), []);
    const context = makeContext(bench);
    const scope = { tenant: bench.tenant } as Parameters<typeof changePassword>[1];
    const repository = randomUUID() as BackupRepositoryId;
    const password = 'canary-of-the-vault';
    for (const passwordHint of ['It is Canary - of - the - Vault', 'ＣＡＮＡＲＹ-of-the-vault'])
      expect(
        getKind(
          await createRepository(context, scope, {
            repository,
            password,
            passwordHint,
            storage: null,
          }),
        ),
      ).toBe('invalid');
  });
});
