import { expect, test } from 'vitest';
import type { Principal } from '#server/platform/http/handler.ts';
import { pokeStream } from '#server/platform/sync/stream.ts';
import type { LogUpdate, Tails } from '#server/platform/sync/tail.ts';

test('SYNC-5: a client that paused gets the newest head at the next look, however many it missed', async () => {
  let follower: { look(one: LogUpdate): void } | null = null;
  const tails = {
    follow(_: unknown, one: { look(look: LogUpdate): void }) {
      follower = one;
      return () => undefined;
    },
  } as unknown as Tails;
  const session = { sessionId: 's', roles: [], companies: null, mustReset: false };
  const stream = pokeStream(tails, 'tenant', session as unknown as Principal, {
    firstMark: '',
    withEvents: false,
    onClose: () => undefined,
  });
  const look = (seq: number): void =>
    follower?.look({ head: { seq, epoch: 'e' }, session: undefined, mark: null, pages: null });
  for (let seq = 1; seq <= 100; seq += 1) look(seq);
  const reader = stream.getReader();
  let pending = reader.read();
  const heads: number[] = [];
  const readAll = async (): Promise<void> => {
    for (;;) {
      const read = await Promise.race([pending, soon()]);
      if (read?.value === undefined) return;
      pending = reader.read();
      const text = new TextDecoder().decode(read.value);
      heads.push(Number(/"head":(\d+)/.exec(text)?.[1]));
    }
  };
  await readAll();
  // It wasn't given all of them, or what waits for a client that never reads had no limit.
  expect(heads.length).toBeLessThan(100);
  look(100);
  await readAll();
  expect(heads.at(-1)).toBe(100);
});

const soon = (): Promise<null> =>
  new Promise((resolve) => {
    setTimeout(resolve, 50, null);
  });
