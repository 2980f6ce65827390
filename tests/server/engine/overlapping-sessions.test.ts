import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import { type MemoryCopy, memoryObject, type MemoryObject } from './memory-source.ts';
import { makeRandom } from './random.ts';
import { PROOF } from './restic/fixtures.ts';
import { loadCopies, loadPoints, makeSessionBench, type SessionBench } from './session-bench.ts';

// Two jobs back up the same mailboxes and drives into one repository, and their sessions overlap:
// while one reads a page, the other one begins or continues, and the tenant changes.

const MINUTE = 60_000;
const JOBS = 2;

function makeObjects(): MemoryObject[] {
  const objects = [
    memoryObject('mailbox', 'ann'),
    memoryObject('drive', 'ann'),
    memoryObject('mailbox', 'bob'),
  ];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 5; n += 1) memory.putItem(`i${n}`, 'top', `content ${n}`);
  }
  return objects;
}

/** All states of the objects, the newest last. A session has one of those of its time. */
class History {
  readonly #states = new Map<string, { readonly from: number; readonly copy: MemoryCopy }[]>();
  time = 0;

  note(memory: MemoryObject): void {
    this.time += 1;
    const { kind, id } = memory.object;
    const states = this.#states.get(`${kind} ${id}`) ?? [];
    states.push({ from: this.time, copy: structuredClone(memory.copy()) });
    this.#states.set(`${kind} ${id}`, states);
  }

  between(object: string, begin: number, end: number): readonly MemoryCopy[] {
    const states = this.#states.get(object) ?? [];
    return states
      .filter(({ from }, n) => from <= end && (states[n + 1]?.from ?? Infinity) > begin)
      .map(({ copy }) => copy);
  }
}

/** Changes one item: a session that reads the object meanwhile sees it before or after. */
function change(memory: MemoryObject, random: (max: number) => number, n: number): void {
  const keys = memory.itemKeys();
  const key = keys[random(keys.length)];
  if (random(3) === 0 || key === undefined) memory.putItem(`n${n}`, 'top', `new ${n}`);
  else if (random(2) === 0 && keys.length > 2) memory.removeItem(key);
  else memory.putItem(key, 'top', `changed ${n}`);
}

interface Session {
  readonly id: string;
  readonly begin: number;
  end: number;
}

async function runOnce(bench: SessionBench, session: Session, history: History): Promise<boolean> {
  if (session.end !== Infinity) return true;
  const isOver = (await bench.run(session.id)) === null;
  if (isOver) session.end = history.time;
  return isOver;
}

/** Both jobs run once; the second begins at a page that the first one reads. */
async function overlap(
  bench: SessionBench,
  jobs: readonly string[],
  history: History,
  random: (max: number) => number,
): Promise<readonly Session[]> {
  const start = async (job: string): Promise<Session> => ({
    id: (await bench.start(job)) ?? '',
    begin: history.time,
    end: Infinity,
  });
  const [one = '', other = ''] = random(2) === 0 ? jobs : jobs.toReversed();
  const first = await start(one);
  let second: Session | null = null;
  let pagesBefore = random(5);
  for (const memory of bench.objects)
    memory.trouble.onPage = async () => {
      pagesBefore -= 1;
      if (pagesBefore !== -1) return;
      second = await start(other);
      for (const [n, changed] of bench.objects.entries()) {
        if (random(3) === 0) continue;
        change(changed, random, history.time * 10 + n);
        history.note(changed);
      }
      await runOnce(bench, second, history);
    };
  for (let runs = 0; !(await runOnce(bench, first, history)); runs += 1) {
    expect(runs).toBeLessThan(20);
    bench.ground.pass(5 * MINUTE);
  }
  for (const memory of bench.objects) memory.trouble.onPage = null;
  const last = second ?? (await start(other));
  for (let runs = 0; !(await runOnce(bench, last, history)); runs += 1) {
    expect(runs).toBeLessThan(20);
    bench.ground.pass(5 * MINUTE);
  }
  return [first, last];
}

eachDatabase((kind, open) => {
  test(`ENG-2: sessions of two jobs that overlap on the same objects have what the tenant had in their time (${kind})`, async () => {
    let overlapped = 0;
    for (let seed = 1; seed <= 4 * PROOF; seed += 1) {
      const random = makeRandom(seed);
      const objects = makeObjects();
      const history = new History();
      for (const memory of objects) history.note(memory);
      const bench = await makeSessionBench(await open(), objects);
      const jobs = [];
      for (let n = 0; n < JOBS; n += 1) jobs.push(await bench.addJob());
      const sessions: Session[] = [];
      for (let round = 0; round < 3; round += 1) {
        bench.ground.pass(5 * MINUTE);
        const both = await overlap(bench, jobs, history, random);
        sessions.push(...both);
        const [first, second] = both;
        if (first && second && second.begin < first.end) overlapped += 1;
      }
      const points = await loadPoints(bench);
      for (const { id, begin, end } of sessions) {
        const point = points.find(({ session_id }) => session_id === id);
        expect(point?.complete).toBe(true);
        const copies = await loadCopies(bench, point?.id ?? '');
        expect(Object.keys(copies)).toHaveLength(objects.length);
        for (const [object, copy] of Object.entries(copies))
          expect(history.between(object, begin, end)).toContainEqual(copy);
      }
    }
    expect(overlapped).toBeGreaterThan(0);
  });
});
