import { afterEach, beforeAll, expect, test } from 'vitest';
import { toLeanRun } from '#contract/runs/columns.ts';
import { makeUser } from '#server/features/users/create-user.ts';
import { listen } from '#server/platform/http/listen.ts';
import type { Listening } from '#server/platform/http/listen.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyDatabase } from '#tests/server/db/databases.ts';
import { freshIdb } from '#tests/workers/disk/places.ts';
import { must } from '#tests/workers/scene.ts';
import { openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';
import { CALM, ChaosWire } from './chaos-wire.ts';
import type { Chaos, Line } from './chaos-wire.ts';
import { TestClock } from './clock.ts';
import { SimDevice } from './device.ts';
import { makeChance } from './random.ts';
import { PASSWORD, RealServer } from './real-server.ts';
import { Story } from './story.ts';

/** `PROOF=20` plays 20. The first one fails if devices don't check their answers. */
const SEEDS = Number(process.env['PROOF'] ?? 1);
const FIRST = Number(process.env['SEED'] ?? 2);
const STEPS = 24;
/** The longest that agreeing may take on the clock of the test, where no request waits for the machine. */
const AGREE_MS = 900_000;

interface Person {
  readonly name: string;
  readonly server: RealServer;
  /** The only company that the person sees; null for all. */
  readonly company: number | null;
}
/** The notes that devices have stored for each provider, by the ID of the command. */
type Sent = ReadonlyMap<RealServer, Map<string, string>>;
interface Client {
  readonly person: Person;
  readonly line: Line;
  readonly device: SimDevice<Line>;
  readonly open: () => ReturnType<typeof createWorkerApi>;
  api: ReturnType<typeof createWorkerApi>;
}

let store: Store;
beforeAll(async () => {
  await import('#workers/disk/dexie-stores.ts');
});

let stop: (() => Promise<void>) | null = null;
afterEach(async () => {
  await stop?.();
  stop = null;
});

anyDatabase((name, open) => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
    test(`G1, G2, G12, OUT-3, SYNC-1, SYNC-2, SYNC-6, SYNC-24: devices of two providers on real sockets agree with their server's rows, whatever a bad wire cut, doubled, delayed, replaced by earlier answers or damaged: seed ${seed} (${name})`, async () => {
      store = await open();
      await expect(play(seed)).resolves.toBeUndefined();
    });
});

async function play(seed: number): Promise<void> {
  const chance = makeChance(seed);
  const waiting: { settle: () => Promise<void> } = { settle: () => Promise.resolve() };
  const clock = new TestClock(Date.UTC(2026, 5, 15, 6), () => waiting.settle());
  const server = new RealServer(store, clock);
  const foreign = new RealServer(store, clock, server);
  const listening: Listening = await listen(server.app, 0, '127.0.0.1', { checkMs: 600_000 });
  const wire = await ChaosWire.open(listening.port, clock);
  const clients: Client[] = [];
  stop = async () => {
    for (const { api, device } of clients) device.kill(api);
    await wire.close();
    await listening.stop(0);
  };
  waiting.settle = async () => {
    for (let quiet = 0; quiet < 2;) {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 1);
      });
      quiet = wire.isIdle && server.isIdle && foreign.isIdle ? quiet + 1 : 0;
    }
  };
  await server.begin(['ann', 'bob']);
  await foreign.begin(['fay']);
  await makeUser(server.context, server.tenant, {
    username: 'cat',
    name: 'cat',
    email: 'cat@example.test',
    password: PASSWORD,
    roles: ['operator'],
    companies: [1],
  });
  const stories = [
    new Story(server, chance, () => clock.now(), 'Home '),
    new Story(foreign, makeChance(seed + 1_000), () => clock.now(), 'Foreign '),
  ];
  for (const story of stories) story.begin(3, 5, 30);
  await server.idle();
  await foreign.idle();

  const people: readonly Person[] = [
    { name: 'ann', server, company: null },
    { name: 'bob', server, company: null },
    { name: 'cat', server, company: 1 },
    { name: 'ann', server, company: null },
    { name: 'fay', server: foreign, company: null },
  ];
  for (const [n, person] of people.entries()) {
    const line = wire.line(`${person.name} ${n}`, person.server.host, seed * 100 + n);
    const idb = freshIdb();
    const own = makeChance(seed * 100 + n + 50);
    const device = new SimDevice(clock, own, line, { me: { id: '' } }, false, person.server.tenant);
    const open = () =>
      createWorkerApi({
        ...device.context,
        openRegister: () => openProfiles(idb),
        openDisk: (profile, register) => openDisk(profile, register, idb),
      });
    clients.push({ person, line, device, open, api: open() });
  }
  for (const client of clients) await signIn(client, clock);
  await untilAgreed(clients, clock, '');

  const sent: Sent = new Map([
    [server, new Map()],
    [foreign, new Map()],
  ]);
  for (let step = 0; step < STEPS; step++) {
    for (const { line } of clients) line.chaos = chaosAt(chance.pick([0, 30, 100]));
    const client = chance.pick(clients);
    const roll = chance.below(10);
    if (roll < 3) chance.pick(stories).goOn();
    else if (roll === 3) client.line.up = !client.line.up;
    else if (roll === 4) for (const { line } of clients) line.cut();
    else if (roll === 5) {
      client.device.kill(client.api);
      client.api = client.open();
    } else await note(client, `note ${step} of ${client.person.name}`, sent, chance);
    await clock.pass(chance.pick([0, 50, 1_000, 6_000, 30_000]));
    // Longer than a token lasts.
    if (step === STEPS / 2) await clock.pass(11 * 60_000);
  }

  for (const { line } of clients) {
    line.chaos = CALM;
    line.up = true;
    line.cut();
  }
  await untilAgreed(clients, clock, JSON.stringify(wire.counts));

  for (const one of [server, foreign]) {
    const log = await one.log();
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
    const notes = log.flatMap(({ event, commandId }) =>
      event.type === 'problem.noted@1' ? [`${commandId}: ${event.data.content}`] : [],
    );
    const refused = clients.flatMap(getRefused);
    const expected = [...must(sent.get(one))]
      .filter(([id]) => !refused.includes(id))
      .map(([id, content]) => `${id}: ${content}`);
    expect(notes.toSorted(byText)).toEqual(expected.toSorted(byText));
  }
  for (const client of clients) await expectRows(client);
  // What they have stored is the same.
  for (const client of clients) {
    client.line.up = false;
    client.device.kill(client.api);
    client.api = client.open();
  }
  for (const { api } of clients) {
    for (; !hasAll(api);) await clock.pass(1_000);
  }
  for (const client of clients) await expectRows(client);
  expect(server.errors).toEqual([]);
}

/** All faults, so often of a thousand. */
const chaosAt = (level: number): Chaos => ({
  latency: 2 * level,
  cutBefore: level,
  cutAfter: level,
  silence: level / 4,
  double: level,
  old: level,
  others: level / 2,
  truncate: level,
  flip: 2 * level,
});

async function signIn(client: Client, clock: TestClock): Promise<void> {
  await clock.pass(100);
  const answer = client.api.signIn({
    way: 'password',
    auth: 'db',
    username: client.person.name,
    password: PASSWORD,
  });
  await clock.pass(3_000);
  expect(await answer).toMatchObject({ ok: true });
}

/** Stores a note on a run whose problem the person sees. */
async function note(
  { api, person }: Client,
  content: string,
  sent: Sent,
  chance: ReturnType<typeof makeChance>,
): Promise<void> {
  const runs = [...person.server.rows.run.values()].filter(
    ({ problem, company }) =>
      problem !== null && (person.company === null || person.company === company),
  );
  const stored = await api.send('changeExecution', {
    id: String(chance.pick(runs).n),
    change: { kind: 'note', content },
  });
  if (stored.ok) must(sent.get(person.server)).set(stored.value.id, content);
}

/** Changes that were refused: the result has been reported again, without a problem, before they arrived. */
function getRefused({ api }: Client): readonly string[] {
  const { entries } = must(api.session.loop).outbox.view();
  expect(entries.filter(({ failure }) => failure?.kind !== 'conflict')).toEqual([]);
  return entries.map(({ id }) => id);
}

const hasAll = ({ session }: ReturnType<typeof createWorkerApi>): boolean => {
  const { loop } = session;
  return loop !== null && loop.replica.epoch !== '' && loop.replica.daysLeft === 0;
};

/** Until every device is up to date and has sent everything. */
async function untilAgreed(
  clients: readonly Client[],
  clock: TestClock,
  what: string,
): Promise<void> {
  const end = clock.now() + AGREE_MS;
  for (;;) {
    await clock.pass(2_000);
    // Whoever was signed out signs in again.
    for (const client of clients)
      if (client.api.session.who.kind === 'out') await signIn(client, clock);
    const states = [];
    for (const { api, person } of clients) {
      const { loop } = api.session;
      const { seq } = await person.server.context.store.tenant(
        person.server.tenant,
        (tx) => tx.head(),
        { readOnly: true },
      );
      const { kind, left, waiting } = loop?.status() ?? {};
      states.push({
        who: `${person.name} ${api.session.who.kind}`,
        kind,
        left,
        waiting,
        reported: loop?.status().error,
        entries: loop?.outbox.view().entries,
        behind: seq - (loop?.replica.cursor ?? 0),
      });
    }
    const isAgreed = states.every(
      ({ kind, left, waiting, behind }) =>
        kind === 'live' && left === 0 && waiting === 0 && behind === 0,
    );
    if (isAgreed) return;
    if (clock.now() > end) expect({ what, states }).toBe('agreed');
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const byN = (a: { readonly n: number }, b: { readonly n: number }): number => a.n - b.n;

/** The rows of the device are those of the database that its person may see. */
async function expectRows({ api, person }: Client): Promise<void> {
  const { engine } = must(api.session.loop).replica;
  const tables = await person.server.context.store.tenant(
    person.server.tenant,
    async (tx) => ({
      company: await tx.all('company'),
      job: await tx.all('job'),
      problem: await tx.all('problem'),
      run: (
        await tx.sql.selectFrom('run').select('row').where('tenant_id', '=', tx.tenant).execute()
      ).map(({ row }) => row),
    }),
    { readOnly: true },
  );
  const isSeen = ({ company }: { readonly company: number }): boolean =>
    person.company === null || person.company === company;
  const jobs = tables.job.filter(isSeen).toSorted(byN);
  expect(engine.all('company').toSorted(byN)).toEqual(
    tables.company.filter(({ n }) => isSeen({ company: n })).toSorted(byN),
  );
  expect(engine.all('job').toSorted(byN)).toEqual(jobs);
  expect(engine.all('problem').toSorted(byN)).toEqual(tables.problem.filter(isSeen).toSorted(byN));
  const runs = tables.run
    .filter(isSeen)
    .map((run) => toLeanRun(run, must(jobs.find(({ n }) => n === run.job))))
    .toSorted(byN);
  expect(engine.size).toBe(runs.length);
  expect([...engine.runs(runs.map(({ n }) => n)).values()].toSorted(byN)).toEqual(runs);
}
