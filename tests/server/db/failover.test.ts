import { expect, test } from 'vitest';
import type { Log } from '#server/platform/app-context.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { QUIET } from './databases.ts';
import { aTenant, byClock, jobDraft, runDraft } from './drafts.ts';
import {
  endServer,
  getUrl,
  makeAddress,
  makePair,
  missingStandby,
  query,
  startServer,
} from './standby.ts';

/** `PROOF=5` loses five primaries. */
const FAILOVERS = Number(process.env['PROOF'] ?? 1);

const getEpochs = (store: OpenStore, tenants: readonly string[]): Promise<string[]> =>
  Promise.all(
    tenants.map((tenant) =>
      store.tenant(
        tenant as Parameters<OpenStore['tenant']>[0],
        async (tx) => (await tx.head()).epoch,
        {
          readOnly: true,
        },
      ),
    ),
  );

test.skipIf(missingStandby !== '')(
  `G24: if the primary of PostgreSQL is killed and its synchronous standby promoted, nothing that was acknowledged is lost, and writing continues${missingStandby}`,
  async () => {
    for (let round = 0; round < FAILOVERS; round += 1) {
      const [first, second] = [5_500 + 2 * round, 5_501 + 2 * round] as const;
      const { primary, standby } = await makePair(first, second);
      await query(first, `alter system set synchronous_standby_names = '*'`);
      await query(first, 'select pg_reload_conf()');
      await expect
        .poll(() => query(first, 'select sync_state from pg_stat_replication'))
        .toEqual([{ sync_state: 'sync' }]);

      const before = await openStore({ ...QUIET, dataDir: '', databaseUrl: getUrl(first) });
      const tenant = await aTenant(before);
      await before.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
      const acknowledged: number[] = [];
      const primaryState = { isDown: false };
      const write = async (): Promise<void> => {
        while (!primaryState.isDown) {
          const n = await before
            .tenant(tenant, async (tx) => {
              const run = await tx.take('run', 1);
              const [logged] = await tx.append([runDraft({ n: run })], byClock);
              return logged?.seq ?? 0;
            })
            .catch(() => null);
          if (n === null) return;
          acknowledged.push(n);
        }
      };
      const writers = Promise.all([write(), write(), write(), write()]);
      await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(50);
      await endServer(primary, 'SIGKILL');
      primaryState.isDown = true;
      await writers;
      await query(second, 'select pg_promote()');
      await before.close();

      const after = await openStore({ ...QUIET, dataDir: '', databaseUrl: getUrl(second) });
      const found = await after.tenant(tenant, (tx) => tx.eventsAfter(0, 100_000));
      const seqs = new Set(found.map(({ seq }) => seq));
      expect(acknowledged.filter((seq) => !seqs.has(seq))).toEqual([]);
      expect([...seqs]).toEqual(found.map((_, index) => index + 1));
      expect((await verify(after)).filter((one) => !isSound(one))).toEqual([]);
      await after.tenant(tenant, (tx) => tx.append([jobDraft(2)], byClock));
      expect(await after.tenant(tenant, (tx) => tx.head())).toMatchObject({
        seq: found.length + 1,
      });
      await after.close();
      await endServer(standby, 'SIGQUIT');
    }
  },
);

test.skipIf(missingStandby !== '')(
  `LOG-6, G24: whatever server or connection notices first that a standby was promoted, each epoch changes once, before anything is answered, and not when connections are lost or PostgreSQL restarts${missingStandby}`,
  async () => {
    const [first, second] = [5_600, 5_601] as const;
    const { primary, standby } = await makePair(first, second);
    const address = await makeAddress(5_602, first);
    const pooler = await makeAddress(5_603, first);
    const warnings: string[] = [];
    const log: Log = {
      ...QUIET.log,
      warn: (what) => void (what.includes('all devices reload') && warnings.push(what)),
    };
    const open = (databaseUrl: string): Promise<OpenStore> =>
      openStore({ ...QUIET, log, dataDir: '', databaseUrl });
    const a = await open(address.url);
    const b = await open(address.url);
    const pooled = await open(pooler.url);
    const tenants = [await aTenant(a), await aTenant(a)] as const;
    const [tenant] = tenants;
    await a.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
    const epochs = await getEpochs(a, tenants);
    expect(await getEpochs(pooled, tenants)).toEqual(epochs);

    address.move(first);
    expect(await getEpochs(a, tenants)).toEqual(epochs);
    await endServer(primary, 'SIGQUIT');
    const restarted = await startServer(first);
    for (const store of [a, b, pooled]) expect(await getEpochs(store, tenants)).toEqual(epochs);
    expect(warnings).toEqual([]);

    await expect
      .poll(
        async () => {
          const [{ lsn = '' } = {}] = await query(
            first,
            'select pg_current_wal_lsn()::text as lsn',
          );
          const [{ has = null } = {}] = await query(
            second,
            `select pg_last_wal_replay_lsn() >= '${lsn as string}' as has`,
          );
          return has;
        },
        { timeout: 60_000 },
      )
      .toBe(true);
    // What is acknowledged from here on never reaches the standby.
    await query(second, `alter system set primary_conninfo = ''`);
    await query(second, 'select pg_reload_conf()');
    await expect
      .poll(() => query(second, 'select pid from pg_stat_wal_receiver'), { timeout: 60_000 })
      .toEqual([]);
    const [lost] = await a.tenant(tenant, (tx) => tx.append([jobDraft(2), jobDraft(3)], byClock));
    expect(lost?.seq).toBe(2);

    // A transaction that has read on the primary, and goes on after the failover.
    const begun = Promise.withResolvers<void>();
    const promoted = Promise.withResolvers<void>();
    const attempts: { readonly epoch: string; readonly seq: number }[] = [];
    const interrupted = b.tenant(tenant, async (tx) => {
      const { epoch, seq } = await tx.head();
      attempts.push({ epoch, seq });
      begun.resolve();
      await promoted.promise;
      return tx.append([jobDraft(4)], byClock);
    });
    await begun.promise;
    address.move(second);
    await expect(getEpochs(a, tenants)).rejects.toMatchObject({ kind: 'connection' });
    await query(second, 'select pg_promote()');
    await pooler.lead(second);
    await endServer(restarted, 'SIGKILL');
    promoted.resolve();

    const [now, others, throughPooler, logged] = await Promise.all([
      getEpochs(a, tenants),
      getEpochs(b, tenants),
      getEpochs(pooled, tenants),
      interrupted,
    ]);
    expect(now.filter((one) => epochs.includes(one))).toEqual([]);
    expect([others, throughPooler]).toEqual([now, now]);
    expect(warnings.length).toBe(1);
    // The number of a lost event is used again, in the new epoch only.
    expect(attempts[0]).toEqual({ epoch: epochs[0], seq: 3 });
    expect(attempts.slice(1).map(({ epoch }) => epoch)).toEqual(
      attempts.slice(1).map(() => now[0]),
    );
    expect(logged.map(({ seq }) => seq)).toEqual([2]);

    await pooled.tenant(tenant, (tx) => tx.append([jobDraft(5)], byClock));
    const late = await open(getUrl(second));
    expect(await getEpochs(late, tenants)).toEqual(now);
    expect(warnings.length).toBe(1);
    expect((await verify(late)).filter((one) => !isSound(one))).toEqual([]);
    await Promise.all([a, b, pooled, late].map((store) => store.close()));
    await endServer(standby, 'SIGQUIT');
  },
);
