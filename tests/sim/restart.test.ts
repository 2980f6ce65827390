import { expect, test } from 'vitest';
import { makeChance } from './random.ts';
import { TestClock } from './clock.ts';
import { SimDevice } from './device.ts';
import { SimServer } from './server.ts';
import { Story } from './story.ts';
import { SimWire } from './wire.ts';

/** `PROOF=10` has 500. */
const DEVICES = 50 * Number(process.env['PROOF'] ?? 1);
const CATCH_UP_MS = 10_000;
/** The most of all devices that may return within the same second. */
const MAX_SHARE = 0.25;

/**
 * How long the server is away, and whether its devices then return spread over time. Waits begin with
 * 30 ms and double (SYNC-8): after a short absence, most return within the same second or two.
 */
for (const [downMs, isSpread] of [
  [1_000, false],
  [4_000, false],
  [30_000, true],
] as const)
  test(
    `G25: when a server returns after ${downMs} ms, every device catches up within ten seconds more, and none shows an error; after a long absence they return spread over time`,
    { timeout: 600_000 },
    async () => {
      const clock = new TestClock();
      const chance = makeChance(downMs);
      const server = new SimServer(() => clock.now());
      const story = new Story(server, chance, () => clock.now());
      story.begin(3, 6, 60);
      const devices = Array.from({ length: DEVICES }, (_, n) => {
        const user = server.addUser(`user ${n}`);
        return new SimDevice(clock, chance, new SimWire(server, clock, chance, user.me.id), user);
      });
      const apis = devices.map((device) => device.open());
      await clock.pass(10_000);
      const kinds = (): string[] => [
        ...new Set(apis.map(({ session }) => session.loop?.status().kind ?? 'none')),
      ];
      expect(kinds()).toEqual(['live']);

      for (const { wire } of devices) wire.up = false;
      server.cutStreams();
      await clock.pass(downMs);
      const returnedAt = clock.now();
      for (const { wire } of devices) wire.up = true;
      story.goOn();
      // A wait is at most as long as the absence.
      await clock.pass((isSpread ? downMs : 0) + CATCH_UP_MS);
      expect(kinds()).toEqual(['live']);
      expect(new Set(apis.map(({ session }) => session.loop?.replica.cursor))).toEqual(
        new Set([server.log.length]),
      );
      expect(apis.filter(({ session }) => session.loop?.status().fault !== null)).toEqual([]);
      // The first request of each device to the server that has returned, by second.
      const seconds = new Map<number, number>();
      for (const { wire } of devices) {
        const first = wire.asked.find(({ at }) => at >= returnedAt);
        const second = Math.floor(((first?.at ?? 0) - returnedAt) / 1_000);
        seconds.set(second, (seconds.get(second) ?? 0) + 1);
      }
      if (isSpread) expect(Math.max(...seconds.values()) / DEVICES).toBeLessThanOrEqual(MAX_SHARE);
    },
  );
