import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { openStore } from '#server/platform/db/open.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { freshUrl, missing, QUIET } from './databases.ts';
import { aTenant, byClock, jobDraft, runDraft } from './drafts.ts';

/** How long the writers write: a minute of a soak is `PROOF=24`. */
const WRITING_MS = 2_500 * Number(process.env['PROOF'] ?? 1);

let url = '';
beforeAll(async () => {
  if (missing === '') url = await freshUrl();
}); // a busy machine

test.skipIf(missing !== '')(
  `LOG-2, G3, S1: eight concurrent writers on two servers leave no gap, and a reader that follows the head misses nothing${missing}`,
  async () => {
    const stores = await Promise.all(
      [0, 1].map(() => openStore({ ...QUIET, dataDir: '', databaseUrl: url })),
    );
    const [first, second] = stores;
    if (!first || !second) throw new Error('two stores');
    try {
      const tenant = await aTenant(first);
      await first.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
      const until = systemClock.now() + WRITING_MS;
      const tally = { appended: 1 };
      let writing = true;

      const writer = async (index: number): Promise<void> => {
        while (systemClock.now() < until || tally.appended < 60) {
          const fails = Math.random() < 0.15;
          await stores[index % 2]
            ?.tenant(tenant, async (tx) => {
              const count = 1 + Math.floor(Math.random() * 3);
              const n = await tx.take('run', count);
              const logged = await tx.append(
                Array.from({ length: count }, (_, at) =>
                  runDraft({ n: n + at, message: `writer ${index}` }),
                ),
                byClock,
              );
              // before the commit
              await new Promise((resolve) => void setTimeout(resolve, Math.random() * 50));
              if (fails) throw new Error('taken back');
              return logged.length;
            })
            .then(
              (count) => void (tally.appended += count),
              (error: Error) => expect(error.message).toBe('taken back'),
            );
        }
      };
      const followed: number[] = [];
      const reader = async (): Promise<void> => {
        for (let done = false; !done;) {
          done = !writing;
          const events = await second.tenant(
            tenant,
            (tx) => tx.eventsAfter(followed.at(-1) ?? 0, 1000),
            { readOnly: true },
          );
          followed.push(...events.map((one) => one.seq));
        }
      };
      const reading = reader();
      await Promise.all(Array.from({ length: 8 }, (_, index) => writer(index)));
      writing = false;
      await reading;

      expect(tally.appended).toBeGreaterThan(50);
      expect(followed).toEqual(Array.from({ length: tally.appended }, (_, index) => index + 1));
      expect(await first.tenant(tenant, (tx) => tx.head())).toMatchObject({ seq: tally.appended });
      expect((await rebuild(first)).flatMap((one) => one.differences)).toEqual([]);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  },
);
