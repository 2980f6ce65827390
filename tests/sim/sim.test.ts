import { expect, test } from 'vitest';
import type { RunN } from '#contract/ids.ts';
import type { Change } from '#contract/runs/change.ts';
import type { createWorkerApi } from '#workers/queries/live-queries.ts';
import { must } from '#tests/workers/scene.ts';
import { TENANT } from './answers.ts';
import { makeChance } from './random.ts';
import { settle, SkewedClock, TestClock } from './clock.ts';
import { SimDevice } from './device.ts';
import { expectEffects, expectNoHole, expectOnce, Shadow } from './invariants.ts';
import { SimServer } from './server.ts';
import type { User } from './server.ts';
import { Story } from './story.ts';
import { NO_ERRORS, SimWire } from './wire.ts';

interface Shape {
  readonly steps: number;
  readonly minDevices: number;
  readonly maxDevices: number;
  /** How far the clock of a device may be ahead or behind, in ms. */
  readonly skewMs: number;
  /** How far a clock may be set meanwhile, in ms. */
  readonly jumpMs: number;
}
/** `PROOF=40` plays 2,000. */
const SEEDS = 50 * Number(process.env['PROOF'] ?? 1);
const FIRST = Number(process.env['SEED'] ?? 1);
const SHAPE: Shape = {
  steps: 100,
  minDevices: 1,
  maxDevices: 4,
  skewMs: 24 * 3_600_000,
  jumpMs: 3_600_000,
};

/** Seeds that once failed are played first, in the shape in which they did. */
const PAST: readonly number[] = [40, 200, 253, 889];
const PAST_SHAPE: Shape = { steps: 60, minDevices: 2, maxDevices: 2, skewMs: 0, jumpMs: 0 };

interface Client {
  readonly user: User;
  readonly device: SimDevice;
  readonly clock: SkewedClock;
  api: ReturnType<typeof createWorkerApi>;
  readonly notes: Map<string, { run: RunN; content: string }>;
  shadow: Shadow;
}

for (const seed of PAST)
  test(`SYNC-1, SYNC-2, SYNC-6, SYNC-8, OUT-3, OUT-4, LOG-6: two devices, one server, a bad connection: past seed ${seed}`, async () => {
    await expect(play(seed, PAST_SHAPE)).resolves.toBeUndefined();
  });

for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
  test(`G1, G2, G3, G7, G13, SYNC-1, SYNC-2, SYNC-6, SYNC-8, OUT-3, OUT-4, LOG-6: up to four devices whose clocks are wrong, one server, bad connections: seed ${seed}`, async () => {
    await expect(play(seed, SHAPE)).resolves.toBeUndefined();
  });

async function play(
  seed: number,
  { steps, minDevices, maxDevices, skewMs, jumpMs }: Shape,
): Promise<void> {
  const chance = makeChance(seed);
  // The shape has a chance of its own: past stories stay as they were.
  const shaping = makeChance(seed ^ 0x5eed);
  const getSkew = (maxMs: number): number => shaping.below(2 * maxMs + 1) - maxMs;
  const clock = new TestClock();
  const server = new SimServer(() => clock.now());
  server.pageSize = chance.pick([1, 3, 1000]);
  const story = new Story(server, chance, () => clock.now());
  const users = [server.addUser('ann'), server.addUser('bob')];
  const devices = minDevices + shaping.below(maxDevices - minDevices + 1);
  story.begin(3, 5, 40);
  const clients = Array.from({ length: devices }, (_, n): Client => {
    const user = must(users[n % users.length]);
    const own = new SkewedClock(clock, getSkew(skewMs));
    const device = new SimDevice(
      clock,
      chance,
      new SimWire(server, clock, chance, user.me.id),
      user,
      true,
      TENANT,
      own,
    );
    const shadow = new Shadow(server.log);
    return { user, device, clock: own, api: device.open(), notes: new Map(), shadow };
  });
  await clock.pass(chance.below(3_000));
  for (let step = 0; step < steps; step++) {
    if (jumpMs > 0 && shaping.below(20) === 0) shaping.pick(clients).clock.skew += getSkew(jumpMs);
    if (chance.below(10) === 0) {
      const level = chance.pick([0, 40, 150]);
      for (const { device } of clients)
        device.wire.errors = {
          drop: level,
          lose: level,
          silence: level / 4,
          double: level,
          delay: level * 2,
          garbage: level,
        };
    }
    await act(chance, story, server, chance.pick(clients), step);
    await clock.pass(chance.pick([0, 1, 20, 300, 4_000, 20_000]));
    laws(clients, server);
  }
  for (const { device } of clients) {
    device.wire.errors = NO_ERRORS;
    device.wire.up = true;
  }
  const quietFrom = clock.now();
  await clock.pass(240_000);
  for (const { api, device } of clients) {
    // G13: a clock that is ahead makes no token expire early.
    const renewed = device.wire.asked.filter(
      ({ at, path }) => at > quietFrom && path.endsWith('auth/refresh'),
    );
    expect(renewed.length).toBeLessThanOrEqual(2);
    expect(api.session.loop?.status()).toMatchObject({ kind: 'live', left: 0, waiting: 0 });
    expect((await device.disk.open())?.cursor).toBe(server.log.length);
  }
  laws(clients, server);
  for (const { api, user } of clients) {
    const { replica } = must(api.session.loop);
    expect(replica.cursor).toBe(server.log.length);
    expectNoHole(replica, new Shadow(server.log), server, user);
    expect(replica.engine.size).toBe(
      [...server.rows.run.values()].filter(({ company }) => !server.isDeleted(company)).length,
    );
  }
}

function laws(clients: readonly Client[], server: SimServer): void {
  for (const client of clients) {
    const { loop } = client.api.session;
    if (!loop) continue;
    if (loop.replica.cursor < client.shadow.at) client.shadow = new Shadow(server.log);
    expectNoHole(loop.replica, client.shadow, server, client.user);
    expectEffects(client.api, server, client.notes);
    // G12: no second without an end to its requests.
    const since = client.device.wire.asked.filter(
      ({ at }) => at > (client.device.wire.asked.at(-1)?.at ?? 0) - 1_000,
    );
    expect(since.length).toBeLessThan(300);
  }
  expectOnce(server);
}

async function act(
  chance: ReturnType<typeof makeChance>,
  story: Story,
  server: SimServer,
  client: Client,
  step: number,
): Promise<void> {
  const { api, device } = client;
  switch (chance.below(9)) {
    case 0:
      device.wire.up = !device.wire.up;
      return;
    case 1:
      server.cutStreams();
      return;
    case 2: {
      // killed and opened again: what is on disk is all there is
      device.kill(api);
      await settle();
      client.api = device.open();
      client.shadow = new Shadow(server.log);
      return;
    }
    case 3: {
      // a backup was restored, or the device loads anew in the same epoch
      const roll = chance.below(6);
      if (roll === 0) server.epoch = `e${step}`;
      if (roll === 1)
        server.append([
          {
            company: null,
            event: {
              type: 'user.scoped@1',
              data: { id: client.user.me.id, roles: [...client.user.me.roles], companies: null },
            },
          },
        ]);
      const left = [...server.rows.company.values()].filter(
        ({ deletedAt }) => deletedAt === undefined,
      );
      if (roll === 2 && left.length > 1) {
        const { n } = chance.pick(left);
        server.append([{ company: n, event: { type: 'company.deleted@1', data: { n } } }]);
      }
      return;
    }
    case 4:
    case 5:
      story.goOn();
      return;
    default: {
      const { loop } = api.session;
      const runs = [...server.rows.run.values()]
        .filter(({ problem }) => problem !== null)
        .map(({ n }) => n);
      if (!loop || runs.length === 0) return;
      const run = chance.pick(runs);
      const content = `note ${step}`;
      const change = chance.pick<Change>([
        { kind: 'note', content },
        { kind: 'note', content },
        { kind: 'review', comment: null },
        { kind: 'reopen' },
        { kind: 'snooze', until: Date.UTC(2026, 7, 1), reason: 'later' },
        { kind: 'unsnooze' },
      ]);
      const bulk = chance.below(3) === 0;
      const sent = bulk
        ? await api.send('changeExecutions', {
            ids: [...new Set([run, chance.pick(runs), chance.pick(runs)])],
            change: change.kind === 'note' ? { kind: 'review', comment: `bulk ${step}` } : change,
          })
        : await api.send('changeExecution', { id: String(run), change });
      expect(sent.ok).toBe(true);
      if (sent.ok && !bulk && change.kind === 'note')
        client.notes.set(sent.value.id, { run, content });
    }
  }
}
