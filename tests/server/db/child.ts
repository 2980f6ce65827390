/**
 * A process that works in a data folder, for tests that kill it: `node child.ts
 * <hold|write|reopen|crowd> <folder> <tenants>`. `reopen` writes too, and closes and opens the folder again
 * after each eight appends. `crowd` has three writers at once for each of several tenants, named with
 * commas. Says one line of JSON at a time: `{"kind":"held"}` or `{"kind":"refused","message":…}`, then,
 * writing, `{"kind":"acknowledged","seq":…,"tenant":…}` for each acknowledged append.
 */
import type { TenantId } from '../../../contract/ids.ts';
import { holdFolder } from '../../../server/platform/db/lock.ts';
import { systemClock } from '../../../server/platform/clock.ts';

const [, , does, dir = '', named = ''] = process.argv;
const tenants = named.split(',') as TenantId[];
const WRITERS = 3;
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

try {
  if (does === 'hold') {
    await holdFolder(dir, systemClock.now());
    say({ kind: 'held' });
    setInterval(() => undefined, 1000);
  } else {
    const { openStore } = await import('../../../server/platform/db/open.ts');
    const { byClock, jobDraft, runDraft } = await import('./drafts.ts');
    const open = () => openStore({ dataDir: dir, databaseUrl: null, log, clock: systemClock });
    let store = await open();
    say({ kind: 'held' });
    for (const tenant of tenants)
      await store.tenant(tenant, async (tx) => {
        if ((await tx.head()).seq === 0) await tx.append([jobDraft(1)], byClock);
      });
    const append = async (tenant: TenantId): Promise<void> => {
      const seq = await store.tenant(tenant, async (tx) => {
        const first = await tx.take('run', 3);
        return (
          await tx.append(
            [0, 1, 2].map((index) =>
              runDraft({ n: first + index, startedAt: byClock.at + first * 1000 }),
            ),
            byClock,
          )
        ).at(-1)?.seq;
      });
      say({ kind: 'acknowledged', seq, tenant });
    };
    const keepAppending = async (tenant: TenantId): Promise<void> => {
      for (let appends = 1; ; appends += 1) {
        await append(tenant);
        if (does === 'reopen' && appends % 8 === 0) {
          await store.close();
          store = await open();
        }
      }
    };
    await Promise.all(
      tenants.flatMap((tenant) =>
        Array.from({ length: does === 'crowd' ? WRITERS : 1 }, () => keepAppending(tenant)),
      ),
    );
  }
} catch (error) {
  say({ kind: 'refused', message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
