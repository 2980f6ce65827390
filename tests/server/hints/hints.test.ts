import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { HintOut, HintShown } from '#contract/hints/calls.ts';
import type { HintFields } from '#contract/hints/hints.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';

const PATH = 'monitoring/backoffice/hints';
let fixture: Fixture;

const aHint = (more: Partial<HintFields> = {}): HintFields => ({
  name: 'Free the disk',
  when: { text: 'no space left', kinds: [], sources: [] },
  summary: 'The target is full.',
  steps: ['Look at the target', 'Prune'],
  links: [{ name: 'How we prune', address: 'https://wiki.example.com/prune' }],
  inside: false,
  ...more,
});
async function made(who: Asker, hint: HintFields): Promise<string> {
  const answer = await who<{ _id: string }>('POST', PATH, { hint });
  if (answer.status !== 200) throw new Error(answer.text);
  const { _id: id } = answer.body.data;
  return id;
}
const listed = async (who: Asker): Promise<readonly HintOut[]> => {
  const { data, count, hints } = (
    await who<{ data: HintOut[]; count: number; hints: HintOut[] }>('GET', PATH)
  ).body.data;
  expect([count, hints]).toEqual([data.length, data]);
  return data;
};
const atHand = async (who: Asker): Promise<readonly HintShown[]> =>
  (await who<{ hints: HintShown[] }>('GET', `${PATH}/at-hand`)).body.data.hints;

async function begin() {
  const office = await anOffice(fixture);
  return {
    office,
    ann: await person(office, 'ann', 'admin'),
    dana: await person(office, 'dana', 'operator'),
    cora: await person(office, 'cora', 'operator', [2]),
    some: await person(office, 'some', 'admin', [2]),
    rita: await person(office, 'rita', 'read-only'),
  };
}

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('HINT-3, HINT-4: a hint shows how many open problems it applies to; that it helped counts once per problem, is in the history, and can be undone', async () => {
    const { office, ann, dana } = await begin();
    const id = await made(ann, aHint());
    const now = new Date(fixture.context.clock.now()).toISOString();
    await office.post(1, [
      { ...failure('Files', now), message: 'No space left on device' },
      { ...failure('Mail', now), message: 'Connection refused' },
    ]);
    expect(await listed(ann)).toMatchObject([
      {
        _id: id,
        name: 'Free the disk',
        madeBy: 'ANN',
        matched: 1,
        helped: { problems: 0, last: null },
      },
    ]);
    expect(await atHand(dana)).toEqual([{ _id: id, ...aHint(), says: 'The target is full.' }]);
    const { problems, jobs } = (await dana<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    const files = problems.find(({ job }) => job === jobs.find(({ name }) => name === 'Files')?.n);
    const run = files?.lastRun;
    for (const times of [1, 2])
      expect([
        times,
        (await dana('POST', `${PATH}/${id}/helped`, { run, helped: true })).status,
      ]).toEqual([times, 200]);
    expect((await listed(ann))[0]?.helped).toEqual({
      problems: 1,
      last: fixture.context.clock.now(),
    });
    // What it was called then stays.
    await ann('PUT', `${PATH}/${id}`, { hint: aHint({ name: 'Make room' }) });
    const history = async (): Promise<Execution['history']> =>
      (await dana<Execution>('GET', `monitoring/backoffice/jobExecutions/${run}`)).body.data
        .history;
    expect((await history())[0]).toMatchObject({
      who: 'DANA',
      what: 'Hint helped',
      comment: 'Free the disk',
    });
    expect((await history()).filter(({ what }) => what === 'Hint helped')).toHaveLength(1);
    expect(
      (await dana<Bootstrap>('GET', 'sync/bootstrap')).body.data.problems.find(
        ({ n }) => n === files?.n,
      )?.helpedBy,
    ).toEqual([id]);
    await dana('POST', `${PATH}/${id}/helped`, { run, helped: false });
    expect([(await listed(ann))[0]?.helped, (await history())[0]?.what]).toEqual([
      { problems: 0, last: null },
      'Hint did not help',
    ]);
    await ann('DELETE', `${PATH}/${id}`);
    expect([
      await listed(ann),
      await atHand(dana),
      (await dana('POST', `${PATH}/${id}/helped`, { run, helped: true })).status,
    ]).toEqual([[], [], 404]);
  });

  test('HINT-2: users who see every company and have the permission manage hints; internal ones are hidden from others, and the log sends none to devices', async () => {
    const { ann, dana, cora, some, rita } = await begin();
    const inside = await made(ann, aHint({ name: 'Ask Ann', inside: true }));
    const shown = await made(ann, aHint());
    expect((await atHand(dana)).map(({ _id: id }) => id)).toEqual([inside, shown]);
    for (const who of [cora]) expect((await atHand(who)).map(({ _id: id }) => id)).toEqual([shown]);
    expect((await listed(some)).map(({ _id: id }) => id)).toEqual([shown]);
    expect((await atHand(rita)).length).toBe(2);
    const refused = [
      await some('POST', PATH, { hint: aHint() }),
      await some('PUT', `${PATH}/${shown}`, { hint: aHint() }),
      await some('DELETE', `${PATH}/${shown}`),
    ];
    expect(refused.map(({ status, body }) => [status, body.message])).toEqual(
      Array.from({ length: 3 }, () => [403, MESSAGES.hintNotYours]),
    );
    expect([
      (await some('PUT', `${PATH}/${inside}`, { hint: aHint() })).status,
      (await dana('POST', PATH, { hint: aHint() })).status,
      (await ann('GET', `${PATH}/at-hand`)).status,
    ]).toEqual([404, 403, 403]);
    const stranger = await begin();
    expect([
      await listed(stranger.ann),
      (await stranger.ann('DELETE', `${PATH}/${shown}`)).status,
    ]).toEqual([[], 404]);
    const { epoch } = (await dana<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    const { events } = (
      await dana<EventsPage>('GET', `sync/events?protocol=2&after=0&epoch=${epoch}`)
    ).body.data;
    expect(events.filter(({ event }) => event.type.startsWith('hint.'))).toEqual([]);
  });

  test('HINT-1, LOG-10: a hint under the name of the version before is accepted, and answers have both names', async () => {
    const { ann, dana } = await begin();
    const { summary, ...others } = aHint();
    const answer = await ann<{ _id: string }>('POST', PATH, { hint: { ...others, says: summary } });
    expect(answer.status).toBe(200);
    for (const hints of [await listed(ann), await atHand(dana)])
      expect(hints).toContainEqual(
        expect.objectContaining({ ...answer.body.data, summary, says: summary }),
      );
  });

  test('HINT-1, HINT-3: a hint without conditions or instructions is refused, and only users who see a result can say that it helped', async () => {
    const { office, ann, cora, rita } = await begin();
    const nothing = await ann('POST', PATH, {
      hint: aHint({ when: { text: ' | ', kinds: [], sources: [] } }),
    });
    expect([nothing.status, nothing.body.error?.issues]).toEqual([
      400,
      [{ path: 'hint.when', message: MESSAGES.hintAsksNothing }],
    ]);
    expect(
      (await ann('POST', PATH, { hint: aHint({ summary: '', steps: [], links: [] }) })).body.error
        ?.issues,
    ).toEqual([{ path: 'hint.summary', message: MESSAGES.hintTellsNothing }]);
    const id = await made(ann, aHint());
    await office.post(1, [
      {
        ...failure('Files', new Date(fixture.context.clock.now()).toISOString()),
        message: 'No space left on device',
      },
    ]);
    const { problems } = (await rita<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    const run = problems[0]?.lastRun;
    expect([
      (await cora('POST', `${PATH}/${id}/helped`, { run, helped: true })).status,
      (await rita('POST', `${PATH}/${id}/helped`, { run, helped: true })).status,
    ]).toEqual([404, 403]);
  });
});
