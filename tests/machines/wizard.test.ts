import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import type { ActorRefFrom } from 'xstate';
import { expect, test } from 'vitest';
import type { Failure } from '#contract/errors.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { getIssue, getStepViews, makeWizardMachine } from '#machines/wizard.ts';
import type { WizardDefinition, WizardDraft } from '#machines/wizard.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

/** A wizard for a trip. A day trip needs no hotel; the hotel is in the destination. */
interface Trip {
  readonly destination: string;
  readonly isDayTrip: boolean;
  readonly hotel: string;
  readonly guests: string;
  readonly card: string;
}
const EMPTY: Trip = { destination: '', isDayTrip: false, hotel: '', guests: 'two', card: '' };
const needs = (value: string, path: string): { path: string; message: string }[] =>
  value === '' ? [{ path, message: `Enter the ${path}.` }] : [];
const TRIP: WizardDefinition<Trip> = {
  id: 'trip',
  empty: EMPTY,
  secrets: ['card'],
  steps: [
    {
      id: 'where',
      fields: ['destination', 'isDayTrip'],
      check: ({ destination }) => needs(destination, 'destination'),
    },
    {
      id: 'hotel',
      fields: ['hotel'],
      check: ({ hotel }) => needs(hotel, 'hotel'),
      skip: ({ isDayTrip }) => isDayTrip,
      dependsOn: ['destination'],
    },
    { id: 'guests', fields: ['guests'], check: ({ guests }) => needs(guests, 'guests') },
    { id: 'pay', fields: ['card'], check: ({ card }) => needs(card, 'card') },
  ],
};
const FULL: Trip = {
  destination: 'Oslo',
  isDayTrip: false,
  hotel: 'Fjord',
  guests: 'two',
  card: '4111',
};
const machine = makeWizardMachine(TRIP);

const TAKEN: Failure = {
  kind: 'bad-input',
  message: 'Check the input.',
  issues: [{ path: 'hotel.room', message: 'No room is free.' }],
};

interface Scene {
  readonly draft?: WizardDraft<Trip> | null;
  readonly saves?: Result<unknown>;
  readonly storesDraft?: Result<unknown>;
  readonly step?: string | null;
  readonly prefill?: Partial<Trip>;
}

/** A wizard on a page, and what it did to its draft and on the server. */
function start({
  draft = null,
  saves = ok(null),
  storesDraft = ok(null),
  step = null,
  prefill,
}: Scene) {
  const clock = new SimulatedClock();
  const log: unknown[] = [];
  const actor = createActor(
    machine.provide({
      actors: {
        readDraft: fromPromise(() => Promise.resolve(draft)),
        saveDraft: fromPromise(({ input }) => {
          log.push(['draft', input]);
          return Promise.resolve(storesDraft);
        }),
        deleteDraft: fromPromise(() => {
          log.push(['delete']);
          return Promise.resolve<unknown>(null);
        }),
        save: fromPromise(({ input }) => {
          log.push(['save', input]);
          return Promise.resolve(saves);
        }),
      },
    }),
    { clock, input: { step, ...(prefill && { prefill }) } },
  ).start();
  return { actor, clock, log };
}

type Wizard = ActorRefFrom<typeof machine>;
const filling = (actor: Wizard): Promise<unknown> =>
  waitFor(actor, (snapshot) => snapshot.matches('filling'));
const at = (actor: Wizard): string => actor.getSnapshot().context.step;
/** The steps in order: `*` the current one, `+` visited, `!` in error. */
const steps = (actor: Wizard): string =>
  getStepViews(TRIP, actor.getSnapshot().context)
    .map(
      ({ id, isCurrent, isVisited, issues }) =>
        `${id}${isCurrent ? '*' : ''}${isVisited ? '+' : ''}${issues.length > 0 ? '!' : ''}`,
    )
    .join(' ');

async function opened(scene: Scene = {}): Promise<ReturnType<typeof start>> {
  const run = start(scene);
  await filling(run.actor);
  return run;
}

test('WIZ-1: going on needs a step that passes; otherwise it stays, in error', async () => {
  const { actor } = await opened();
  actor.send({ type: 'NEXT' });
  expect(steps(actor)).toBe('where*+! hotel guests pay');
  expect(getIssue(actor.getSnapshot().context, 'destination')).toBe('Enter the destination.');
  actor.send({ type: 'EDIT', changes: { destination: 'Oslo' } });
  expect(steps(actor)).toBe('where*+ hotel guests pay');
  actor.send({ type: 'NEXT' });
  expect(steps(actor)).toBe('where+ hotel*+ guests pay');
});

test('WIZ-1, WIZ-2: going on and back leave out a step that the data skips', async () => {
  const { actor } = await opened();
  actor.send({ type: 'EDIT', changes: { destination: 'Oslo', isDayTrip: true } });
  actor.send({ type: 'NEXT' });
  expect(steps(actor)).toBe('where+ guests*+ pay');
  actor.send({ type: 'BACK' });
  expect(at(actor)).toBe('where');
  actor.send({ type: 'BACK' });
  expect(at(actor)).toBe('where');
});

test('WIZ-2: going back is possible from a step that fails', async () => {
  const { actor } = await opened({ prefill: { destination: 'Oslo' } });
  actor.send({ type: 'NEXT' });
  actor.send({ type: 'NEXT' });
  expect(steps(actor)).toBe('where+ hotel*+! guests pay');
  actor.send({ type: 'BACK' });
  expect(at(actor)).toBe('where');
});

test('WIZ-3, WIZ-4: earlier steps open freely; later ones if they were visited and all between pass', async () => {
  const { actor } = await opened({ prefill: FULL });
  actor.send({ type: 'JUMP', step: 'guests' });
  expect(at(actor)).toBe('where');
  for (let i = 0; i < 2; i++) actor.send({ type: 'NEXT' });
  expect(steps(actor)).toBe('where+ hotel+ guests*+ pay');
  actor.send({ type: 'JUMP', step: 'where' });
  expect(at(actor)).toBe('where');
  actor.send({ type: 'JUMP', step: 'guests' });
  expect(at(actor)).toBe('guests');
  actor.send({ type: 'JUMP', step: 'pay' });
  expect(at(actor)).toBe('guests');
  actor.send({ type: 'JUMP', step: 'where' });
  actor.send({ type: 'EDIT', changes: { hotel: '' } });
  actor.send({ type: 'JUMP', step: 'guests' });
  expect(steps(actor)).toBe('where+ hotel*+! guests+ pay');
  actor.send({ type: 'JUMP', step: 'nowhere' });
  expect(at(actor)).toBe('hotel');
});

test('WIZ-5: a change clears the errors of its fields only, and later steps that depend on it must be visited again', async () => {
  const { actor } = await opened({ saves: failed(TAKEN), prefill: FULL });
  actor.send({ type: 'LOAD', data: FULL });
  actor.send({ type: 'SAVE' });
  await waitFor(actor, (snapshot) => snapshot.context.errors['hotel'] !== undefined);
  expect(steps(actor)).toBe('where+ hotel*+! guests+ pay+');
  actor.send({ type: 'EDIT', changes: { guests: 'three' } });
  expect(steps(actor)).toBe('where+ hotel*+! guests+ pay+');
  actor.send({ type: 'JUMP', step: 'where' });
  actor.send({ type: 'EDIT', changes: { destination: 'Bergen' } });
  expect(steps(actor)).toBe('where*+ hotel! guests+ pay+');
  actor.send({ type: 'JUMP', step: 'hotel' });
  expect(at(actor)).toBe('where');
  actor.send({ type: 'EDIT', changes: { hotel: 'Harbour' } });
  expect(steps(actor)).toBe('where*+ hotel guests+ pay+');
});

test('WIZ-5, WIZ-9: a draft is stored after a change, not before, without secrets, and the last change counts', async () => {
  const { actor, clock, log } = await opened();
  clock.increment(10_000);
  expect(log).toEqual([]);
  actor.send({ type: 'EDIT', changes: { destination: 'Os', card: '4111' } });
  clock.increment(300);
  actor.send({ type: 'EDIT', changes: { destination: 'Oslo' } });
  clock.increment(300);
  expect(log).toEqual([]);
  clock.increment(300);
  await waitFor(actor, (snapshot) => snapshot.matches({ filling: 'stored' }));
  expect(log).toEqual([
    [
      'draft',
      {
        data: { destination: 'Oslo', isDayTrip: false, hotel: '', guests: 'two' },
        step: 'where',
        visited: ['where'],
      },
    ],
  ]);
});

test('WIZ-9: a draft that cannot be stored is not shown as stored', async () => {
  const { actor, clock } = await opened({
    storesDraft: failed({ kind: 'storage', message: 'The disk is full.' }),
  });
  actor.send({ type: 'EDIT', changes: { destination: 'Oslo' } });
  clock.increment(1_000);
  await waitFor(actor, (snapshot) => !snapshot.matches({ filling: 'storing' }));
  expect(actor.getSnapshot().value).toEqual({ filling: 'unstored' });
});

const DRAFT: WizardDraft<Trip> = {
  data: { destination: 'Oslo', hotel: 'Fjord', guests: 'four' },
  step: 'guests',
  visited: ['where', 'hotel', 'guests'],
};

test('WIZ-9: a stored draft continues where it was left, or at the step of the address', async () => {
  const { actor } = await opened({ draft: DRAFT });
  expect(steps(actor)).toBe('where+ hotel+ guests*+ pay');
  expect(actor.getSnapshot().context).toMatchObject({ isRestored: true, data: { guests: 'four' } });
  expect(steps((await opened({ draft: DRAFT, step: 'where' })).actor)).toBe(
    'where*+ hotel+ guests+ pay',
  );
});

test('WIZ-9: an address opens its step, or the first one that fails', async () => {
  const early = await opened({ step: 'pay' });
  expect(at(early.actor)).toBe('where');
  expect(early.actor.getSnapshot().context.laterStep).toBe('pay');
  early.actor.send({ type: 'NEXT' });
  expect(early.actor.getSnapshot().context.laterStep).toBe('pay');
  early.actor.send({ type: 'EDIT', changes: { destination: 'Oslo' } });
  early.actor.send({ type: 'NEXT' });
  expect(early.actor.getSnapshot().context).toMatchObject({ step: 'hotel', laterStep: null });
  expect(at((await opened({ step: 'pay', prefill: { destination: 'Oslo' } })).actor)).toBe('hotel');
  const { actor } = await opened({ step: 'pay', prefill: { ...FULL, card: '' } });
  expect(steps(actor)).toBe('where+ hotel+ guests+ pay*+');
  const unknown = await opened({ step: 'nowhere', prefill: FULL });
  expect(unknown.actor.getSnapshot().context).toMatchObject({ step: 'where', laterStep: null });
  actor.send({ type: 'OPEN', step: 'hotel' });
  expect(at(actor)).toBe('hotel');
});

test('WIZ-6, WIZ-9: an existing entity is edited with all its steps visited, at the step of the address; a draft of it goes before', async () => {
  const { actor } = await opened({ step: 'guests' });
  actor.send({ type: 'LOAD', data: FULL });
  expect(actor.getSnapshot().context.editing).toBe(true);
  expect(steps(actor)).toBe('where+ hotel+ guests*+ pay+');
  const drafted = await opened({ draft: DRAFT });
  drafted.actor.send({ type: 'LOAD', data: FULL });
  expect(drafted.actor.getSnapshot().context).toMatchObject({
    editing: true,
    data: { guests: 'four' },
  });
});

test('WIZ-7: a reset empties the wizard, ends editing and deletes the draft', async () => {
  const { actor, log } = await opened({ draft: DRAFT });
  actor.send({ type: 'LOAD', data: FULL });
  actor.send({ type: 'RESET' });
  await filling(actor);
  expect(actor.getSnapshot().context).toMatchObject({ data: EMPTY, editing: false });
  expect(steps(actor)).toBe('where*+ hotel guests pay');
  expect(log).toEqual([['delete']]);
});

test('WIZ-8: saving checks all steps, saves once and deletes the draft', async () => {
  const { actor, log } = await opened({ prefill: { ...FULL, guests: '' } });
  actor.send({ type: 'SAVE' });
  expect(steps(actor)).toBe('where+ hotel guests*! pay');
  expect(log).toEqual([]);
  actor.send({ type: 'EDIT', changes: { guests: 'two' } });
  actor.send({ type: 'SAVE' });
  await waitFor(actor, (snapshot) => snapshot.status === 'done');
  expect(log).toEqual([['save', { data: FULL, editing: false }], ['delete']]);
});

test('WIZ-8: a refusal opens the step that it names, and its draft stays; another one is shown', async () => {
  const refused = await opened({ saves: failed(TAKEN), prefill: FULL });
  refused.actor.send({ type: 'SAVE' });
  await waitFor(refused.actor, (snapshot) => snapshot.matches('saving'));
  await filling(refused.actor);
  expect(steps(refused.actor)).toBe('where+ hotel*! guests pay');
  expect(refused.log.at(-1)).toEqual(['save', { data: FULL, editing: false }]);
  const conflict: Failure = { kind: 'conflict', message: 'The name is taken.' };
  const other = await opened({ saves: failed(conflict), prefill: FULL });
  other.actor.send({ type: 'SAVE' });
  await waitFor(other.actor, (snapshot) => snapshot.context.failure !== null);
  expect(other.actor.getSnapshot().context.failure).toEqual(conflict);
});

const EVENTS = {
  'NEXT': { type: 'NEXT' },
  'BACK': { type: 'BACK' },
  'JUMP': { type: 'JUMP', step: 'guests' },
  'OPEN': { type: 'OPEN', step: 'where' },
  'EDIT': { type: 'EDIT', changes: { guests: 'three' } },
  'LOAD': { type: 'LOAD', data: FULL },
  'RESET': { type: 'RESET' },
  'SAVE': { type: 'SAVE' },
  'no draft': done('readDraft', null),
  'draft bug': bug('readDraft'),
  'waited': { type: 'xstate.after.draftDelay.trip.filling.changed' },
  'draft stored': done('saveDraft', ok(null)),
  'draft not stored': done('saveDraft', failed({ kind: 'storage', message: 'full' })),
  'draft store bug': bug('saveDraft'),
  'saved': done('save', ok(null)),
  'refused': done('save', failed({ kind: 'conflict', message: 'taken' })),
  'save bug': bug('save'),
  'draft deleted': done('finish', null),
  'delete bug': bug('finish'),
  'reset done': done('reset', null),
  'reset bug': bug('reset'),
} as const;

const state = (child: string): string => JSON.stringify({ filling: child });
const [UNCHANGED, CHANGED, STORING, STORED, UNSTORED] = [
  state('unchanged'),
  state('changed'),
  state('storing'),
  state('stored'),
  state('unstored'),
];
/** Every change waits again; only what was typed is stored. */
const AFTER_A_CHANGE = { NEXT: CHANGED, JUMP: CHANGED, EDIT: CHANGED, RESET: 'resetting' };
const TABLE: Table = {
  reading: { 'no draft': UNCHANGED, 'draft bug': UNCHANGED },
  [UNCHANGED]: { EDIT: CHANGED, RESET: 'resetting', SAVE: `saving | ${UNCHANGED}` },
  [CHANGED]: { RESET: 'resetting', SAVE: `saving | ${CHANGED}`, waited: STORING },
  [STORING]: {
    ...AFTER_A_CHANGE,
    'SAVE': `saving | ${STORING}`,
    'draft stored': STORED,
    'draft not stored': UNSTORED,
    'draft store bug': UNSTORED,
  },
  [STORED]: { ...AFTER_A_CHANGE, SAVE: `saving | ${STORED}` },
  [UNSTORED]: { ...AFTER_A_CHANGE, SAVE: `saving | ${UNSTORED}` },
  resetting: { 'reset done': UNCHANGED, 'reset bug': UNCHANGED },
  saving: { 'saved': 'finishing', 'refused': CHANGED, 'save bug': CHANGED },
  finishing: { 'draft deleted': 'done', 'delete bug': 'done' },
  done: {},
};

test('WIZ-1, WIZ-5, WIZ-7, WIZ-8: a wizard does in each state what its table says, and nothing else', () => {
  const { table } = walk(
    machine,
    { step: null },
    EVENTS,
    ({ data, step }: { readonly data: Trip; readonly step: string }) => [data, step],
  );
  expect(table).toEqual(TABLE);
});
