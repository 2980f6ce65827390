import { createActor, fromPromise, waitFor } from 'xstate';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { JOB_ITEM_PARTS } from '#contract/backup/jobs.ts';
import { getCall, type OutputOf } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { getStepViews, makeWizardMachine } from '#machines/wizard.ts';
import type { WizardDraft } from '#machines/wizard.ts';
import {
  JOB_WIZARD,
  jobData,
  jobFields,
  jobIssues,
} from '#src/features/backup/jobs/wizard/definition.ts';
import type { ChosenItem, JobData } from '#src/features/backup/jobs/wizard/definition.ts';
import { findItems } from '#src/features/shared/directory-picker/item-picker.tsx';
import { hoursBetween, paint, stepHour } from '#src/features/backup/jobs/wizard/window-grid.tsx';
import { job } from './rows.ts';

type JobOut = OutputOf<'getBackupJob'>;
const ORGANIZATION = '10000000-0000-4000-8000-000000000001';
const REPOSITORY = '40000000-0000-4000-8000-000000000001';
const JOB = '20000000-0000-4000-8000-000000000001';
const ann: ChosenItem = { type: 'User', id: 'u1', name: 'Ann', parts: ['mailbox', 'oneDrive'] };

async function start(prefill: Partial<JobData>) {
  const actor = createActor(
    makeWizardMachine(JOB_WIZARD).provide({
      actors: {
        readDraft: fromPromise<WizardDraft<JobData> | null>(() => Promise.resolve(null)),
        saveDraft: fromPromise<Result<unknown>, WizardDraft<JobData>>(() =>
          Promise.resolve<Result<unknown>>(ok(null)),
        ),
        deleteDraft: fromPromise<unknown>(() => Promise.resolve<unknown>(null)),
      },
    }),
    { input: { step: null, prefill } },
  ).start();
  await waitFor(actor, (snapshot) => snapshot.matches('filling'));
  const at = (): string => actor.getSnapshot().context.step;
  return { actor, at };
}

const choose = (count: number) => ({
  ...JOB_WIZARD.empty,
  backupType: 'SelectedItems' as const,
  otherSelected: Array.from({ length: count }, (_, n) => ({
    type: 'User' as const,
    id: `u${n}`,
  })),
});

test('WIZ-12: jobs/1 to jobs/5; with one proxy and one repository, step 4 is left out in both directions', async () => {
  const filled = { name: 'Nightly', organizationId: ORGANIZATION, repositoryId: REPOSITORY };
  const { actor, at } = await start(filled);
  const walk = (): string => {
    const steps = [at()];
    for (let i = 0; i < 4; i++) {
      actor.send({ type: 'NEXT' });
      steps.push(at());
    }
    actor.send({ type: 'BACK' });
    return `${steps.join('')} ${at()}`;
  };
  expect(walk()).toBe('12345 4');
  actor.send({ type: 'JUMP', step: '1' });
  actor.send({ type: 'EDIT', changes: { hasOnePlace: true } });
  expect(walk()).toBe('12355 3');
});

test('WIZ-12: changing the organization resets the items, proxy and repository', async () => {
  const { actor } = await start({
    name: 'Nightly',
    organizationId: ORGANIZATION,
    backupType: 'SelectedItems',
    selectedItems: [ann],
    excludedItems: [ann],
    repositoryId: REPOSITORY,
  });
  for (let i = 0; i < 2; i++) actor.send({ type: 'NEXT' });
  expect(actor.getSnapshot().context.step).toBe('3');
  actor.send({ type: 'NEXT' });
  expect(actor.getSnapshot().context.errors['3']).toEqual([
    { path: 'excludedItems', message: 'Ann is also selected in the previous step.' },
  ]);
  actor.send({ type: 'JUMP', step: '1' });
  actor.send({ type: 'EDIT', changes: { organizationId: JOB } });
  const { data } = actor.getSnapshot().context;
  expect([data.selectedItems, data.excludedItems, data.repositoryId]).toEqual([[], [], null]);
  expect(
    getStepViews(JOB_WIZARD, actor.getSnapshot().context).map(({ isVisited }) => isVisited),
  ).toEqual([true, false, false, false, false]);
});

test('WIZ-12: the server accepts every schedule, and the form reads it back unchanged', () => {
  const { input } = getCall('createBackupJob');
  const base: JobData = {
    ...JOB_WIZARD.empty,
    name: ' Nightly ',
    organizationId: ORGANIZATION,
    repositoryId: REPOSITORY,
    backupType: 'SelectedItems',
    selectedItems: [ann],
    isFullTextEnabled: true,
    fileVersions: 25,
    backupWindowEnabled: true,
    backupWindow: '1'.repeat(100) + '0'.repeat(68),
  };
  for (const changes of [
    { type: 'Daily', dailyType: 'Workdays', time: '06:30' },
    { type: 'Monthly', monthlyNumber: 'Last', monthlyDay: 'Day' },
    { type: 'Periodically', periodicallyEvery: 'Minutes15' },
    { type: 'Continuously' },
    { type: 'Chained', chainedAfter: JOB },
    { type: 'Disabled' },
    { retryEnabled: false },
  ] as const) {
    const data = { ...base, ...changes };
    const fields = jobFields(data);
    const parsed = v.safeParse(input, { ...fields, organizationId: ORGANIZATION });
    expect([changes, parsed.issues ?? []]).toEqual([changes, []]);
    const { schedulePolicy } = fields;
    const read = jobData({
      ...job(),
      recent: [],
      version: 'one',
      _id: JOB,
      organizationId: ORGANIZATION,
      isFullTextEnabled: fields.isFullTextEnabled === true,
      fileVersions: fields.fileVersions ?? 'none',
      organizationName: '',
      companyN: 1,
      repositoryId: REPOSITORY,
      repositoryName: '',
      proxyId: null,
      selected: 1,
      excluded: 0,
      isEnabled: true,
      lastStatus: null,
      lastRun: null,
      lastBackup: null,
      nextRun: null,
      obstacle: null,
      schedulePolicy,
      selectedItems: [],
      excludedItems: [],
    });
    const again = jobFields({ ...read, name: 'x' });
    expect([again.schedulePolicy, again.isFullTextEnabled, again.fileVersions]).toEqual([
      schedulePolicy,
      true,
      25,
    ]);
  }
});

test('WIZ-12, VB365-41: an edit sends back the parts and items that the page does not show', () => {
  const parts = Object.fromEntries(JOB_ITEM_PARTS.map((part) => [part, false]));
  const shown = { name: 'Ann', address: 'ann@example.com' };
  const items = [
    { type: 'User', id: 'u1', ...parts, mailbox: true, personalSite: true },
    { type: 'Team', id: 't1', ...parts, teams: true, teamsChats: true },
    { type: 'PartialOrganization', id: null, ...parts, oneDrive: true, teamsChats: true },
    { type: 'PersonalSites', id: null, ...parts, personalSite: true },
  ] as const;
  const selectedItems = items.map((item) => ({ ...shown, ...item })) as JobOut['selectedItems'];
  const data = jobData({
    ...job(),
    _id: JOB,
    version: 'one',
    recent: [],
    backupType: 'SelectedItems',
    organizationId: ORGANIZATION,
    isFullTextEnabled: false,
    fileVersions: 'none',
    organizationName: '',
    companyN: 1,
    repositoryId: REPOSITORY,
    repositoryName: '',
    proxyId: null,
    selected: 4,
    excluded: 4,
    isEnabled: true,
    lastStatus: null,
    lastRun: null,
    lastBackup: null,
    nextRun: null,
    obstacle: null,
    selectedItems,
    excludedItems: selectedItems,
  });
  const fields = jobFields({ ...data, description: 'Changed' }, true);
  expect([fields.selectedItems, fields.excludedItems]).toEqual([items, items]);
  expect(data.selectedItems.map(({ id }) => id)).toEqual(['u1', 't1']);
});

test('WIZ-12: what cannot run is refused in its step', () => {
  const [, second, , , fifth] = JOB_WIZARD.steps;
  const wrong = (changes: Partial<JobData>): readonly string[] =>
    (fifth?.check({ ...JOB_WIZARD.empty, ...changes }) ?? []).map(({ path }) => path);
  expect([
    wrong({}),
    wrong({ time: '25:00' }),
    wrong({ type: 'Chained' }),
    wrong({ retryNumber: '11', retryWait: '0' }),
    wrong({ backupWindowEnabled: true, backupWindow: '0'.repeat(168) }),
    wrong({
      id: 'a',
      type: 'Chained',
      chainedAfter: 'b',
      otherJobs: [
        { id: 'b', schedulePolicy: { schedule: { type: 'Chained', chainedAfter: 'a' } } },
      ],
    }),
  ]).toEqual([
    [],
    ['time'],
    ['chainedAfter'],
    ['retryNumber', 'retryWait'],
    ['backupWindow'],
    ['chainedAfter'],
  ]);
  expect(second?.check({ ...JOB_WIZARD.empty, backupType: 'SelectedItems' })).toHaveLength(1);
  expect(second?.check(choose(10_000))).toEqual([]);
  expect(second?.check(choose(10_001))).toEqual([
    { path: 'selectedItems', message: 'Choose at most 10,000 items. Groups count as one.' },
  ]);
});

test('WIZ-12: a search covers names and addresses of all objects', () => {
  const rows = Array.from({ length: 10_000 }, (_, i) => ({
    id: `u${i}`,
    name: `Person ${i}`,
    address: `p${i}@example.com`,
    children: null,
  }));
  expect(findItems(rows, ' PERSON 77').map(({ id }) => id)).toHaveLength(111);
  expect(findItems(rows, 'p9999@').map(({ id }) => id)).toEqual(['u9999']);
  expect(findItems(rows, '')).toBe(rows);
});

test('WIZ-12: each of the 168 hours is set alone or in a rectangle, and arrow keys stay inside the week', () => {
  const closed = '0'.repeat(168);
  expect(paint(closed, [25], true)).toBe(`${'0'.repeat(25)}1${'0'.repeat(142)}`);
  // Monday 02:00 to Tuesday 04:00, from either corner.
  expect(hoursBetween(26, 52)).toEqual([26, 27, 28, 50, 51, 52]);
  expect(hoursBetween(52, 26)).toEqual([26, 27, 28, 50, 51, 52]);
  expect(paint(closed, hoursBetween(0, 167), true)).toBe('1'.repeat(168));
  expect(
    (
      [
        [0, 'ArrowLeft'],
        [0, 'ArrowUp'],
        [0, 'ArrowRight'],
        [0, 'ArrowDown'],
        [23, 'ArrowRight'],
        [167, 'ArrowDown'],
        [5, 'x'],
      ] as const
    ).map(([at, key]) => stepHour(at, key)),
  ).toEqual([0, 0, 1, 24, 23, 167, null]);
});

test('WIZ-8: an error of the server is shown at the field of the wizard', () => {
  expect(
    jobIssues([
      { path: 'schedulePolicy.backupWindow', message: 'a' },
      { path: 'schedulePolicy.schedule.chainedAfter', message: 'b' },
      { path: 'repositoryId', message: 'c' },
    ]).map(({ path }) => path),
  ).toEqual(['backupWindow', 'chainedAfter', 'repositoryId']);
});

test('PLAN-5, WIZ-12: a job whose job before was deleted is saved only with another schedule', () => {
  const issues = (otherJobs: JobData['otherJobs']) =>
    JOB_WIZARD.steps
      .find(({ id }) => id === '5')
      ?.check({ ...JOB_WIZARD.empty, type: 'Chained', chainedAfter: JOB, otherJobs });
  expect(issues([])).toEqual([
    { path: 'chainedAfter', message: 'Choose the job that this one follows.' },
  ]);
  expect(issues([job({ id: JOB })])).toEqual([]);
});
