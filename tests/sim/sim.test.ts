import { expect, test } from 'vitest';
import type { RunN } from '#contract/ids.ts';
import type { Change } from '#contract/runs/change.ts';
import type { createWorkerApi } from '#workers/queries/live-queries.ts';
import { must } from '#tests/workers/scene.ts';
import { makeChance } from './random.ts';
import { settle, TestClock } from './clock.ts';
import { SimDevice } from './device.ts';
import { expectEffects, expectNoHole, expectOnce, Shadow } from './invariants.ts';
import { SimServer } from './server.ts';
import type { User } from './server.ts';
import { Story } from './story.ts';
import { NO_ERRORS, SimWire } from './wire.ts';

const SEEDS = 20 * Number(process.env['PROOF'] ?? 1);
const STEPS = 60;

/** Seeds that once failed are played first. */
const PAST: readonly number[] = [40, 200, 253, 889];

interface Client {
  readonly user: User;
  readonly device: SimDevice;
  api: ReturnType<typeof createWorkerApi>;
  readonly notes: Map<string, { run: RunN; content: string }>;
  shadow: Shadow;
}

for (const seed of [...PAST, ...Array.from({ length: SEEDS }, (_, i) => i + 1)]) {
  test(`SYNC-1, SYNC-2, SYNC-6, SYNC-8, OUT-3, OUT-4, LOG-6: two devices, one server, a bad connection: seed ${seed}`, async () => {
    await expect(play(seed)).resolves.toBeUndefined();
  });
}

async function play(seed: number): Promise<void> {
  const chance = makeChance(seed);
  const clock = new TestClock();
  const server = new SimServer(() => clock.now());
  server.pageSize = chance.pick([1, 3, 1000]);
  const story = new Story(server, chance, () => clock.now());
  const users = [server.addUser('ann'), server.addUser('bob')];
  story.begin(3, 5, 40);
  const clients: Client[] = users.map((user) => {
    const device = new SimDevice(
      clock,
      chance,
      new SimWire(server, clock, chance, user.me.id),
      user,
    );
    return { user, device, api: device.open(), notes: new Map(), shadow: new Shadow(server.log) };
  });
  await clock.pass(chance.below(3_000));
  for (let step = 0; step < STEPS; step++) {
    if (chance.below(10) === 0) {
      const level = chance.pick([0, 40, 150]);
      for (const { device } of clients)
        device.wire.faults = {
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
    device.wire.faults = NO_ERRORS;
    device.wire.up = true;
  }
  await clock.pass(240_000);
  for (const { api, device } of clients) {
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
