import type { InputOf, OutputOf } from '#contract/calls.ts';
import { type FileVersions, JOB_ITEM_PARTS, type JobItemPart } from '#contract/backup/jobs.ts';
import { type ChainedJob, makesCycle } from '#contract/backup/chains.ts';
import { DAILY_TYPES, MONTHLY_DAYS, MONTHLY_NUMBERS } from '#contract/backup/schedule.ts';
import type { Schedule } from '#contract/backup/schedule.ts';
import type { Issue } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import type { WizardDefinition } from '#machines/wizard.ts';
import { ALL_SITES, getKey, PICKER_KINDS } from '../../../shared/directory-picker/items.ts';
import type { PickerKind, PickedItem } from '../../../shared/directory-picker/items.ts';
import { jobWizardMessages as t } from './messages.en.ts';
import type { BackupJobId } from '#contract/ids.ts';

const MAX = LIMITS.backupJobItems;

type JobOut = OutputOf<'getBackupJob'>;
type ItemIn = NonNullable<InputOf<'updateBackupJob'>['selectedItems']>[number];

/** An object of the tenant with what is backed up of it. */
export interface ChosenItem extends PickedItem {
  readonly parts: readonly JobItemPart[];
}

/** What the page knows besides the data: it decides which steps are needed. */
export interface JobData {
  /** Null: a new one. */
  readonly id: string | null;
  /** What was opened: a job that has changed since isn't overwritten. */
  readonly version: string | null;
  readonly name: string;
  readonly description: string;
  readonly organizationId: string | null;
  readonly isTeamsChatsEnabled: boolean;
  readonly isFullTextEnabled: boolean;
  readonly fileVersions: FileVersions;
  readonly backupType: 'EntireOrganization' | 'SelectedItems';
  readonly selectedItems: readonly ChosenItem[];
  readonly excludedItems: readonly ChosenItem[];
  /** Items of kinds that the page doesn't list. They stay as they are. */
  readonly otherSelected: readonly ItemIn[];
  readonly otherExcluded: readonly ItemIn[];
  readonly repositoryId: string | null;
  readonly proxyId: string | null;
  /** Exactly one proxy and one repository: both are selected without a question. */
  readonly hasOnePlace: boolean;
  readonly type: Schedule['type'];
  readonly dailyType: Extract<Schedule, { type: 'Daily' }>['dailyType'];
  readonly time: string;
  readonly monthlyNumber: Extract<Schedule, { type: 'Monthly' }>['monthlyNumber'];
  readonly monthlyDay: Extract<Schedule, { type: 'Monthly' }>['monthlyDay'];
  readonly periodicallyEvery: Extract<Schedule, { type: 'Periodically' }>['periodicallyEvery'];
  readonly chainedAfter: string | null;
  /** The other jobs, as far as chains need them. */
  readonly otherJobs: readonly ChainedJob[];
  readonly retryEnabled: boolean;
  readonly retryNumber: string;
  readonly retryWait: string;
  readonly backupWindowEnabled: boolean;
  readonly backupWindow: string;
  readonly runNow: boolean;
}

/** The kinds of schedules, in the order in which they are offered. */
export const SCHEDULE_TYPES = Object.keys({
  Daily: 0,
  Monthly: 0,
  Periodically: 0,
  Continuously: 0,
  Chained: 0,
  Disabled: 0,
} satisfies Record<Schedule['type'], 0>) as unknown as readonly [
  Schedule['type'],
  ...Schedule['type'][],
];

const EMPTY: JobData = {
  id: null,
  version: null,
  name: '',
  description: '',
  organizationId: null,
  isTeamsChatsEnabled: false,
  isFullTextEnabled: false,
  fileVersions: 'none',
  backupType: 'EntireOrganization',
  selectedItems: [],
  excludedItems: [],
  otherSelected: [],
  otherExcluded: [],
  repositoryId: null,
  proxyId: null,
  hasOnePlace: false,
  type: SCHEDULE_TYPES[0],
  dailyType: DAILY_TYPES[0],
  time: '22:00',
  monthlyNumber: MONTHLY_NUMBERS[0],
  monthlyDay: MONTHLY_DAYS[0],
  periodicallyEvery: 'Hours4',
  chainedAfter: null,
  otherJobs: [],
  retryEnabled: true,
  retryNumber: '3',
  retryWait: '10',
  backupWindowEnabled: false,
  backupWindow: '1'.repeat(168),
  runNow: false,
};

/** A repository that its server has and the organization doesn't use yet, before its id there. */
export const ON_SERVER = 'server:';

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const issue = (isWrong: boolean, path: keyof JobData, message: string): Issue[] =>
  isWrong ? [{ path, message }] : [];
const isWithin = (text: string, min: number, max: number): boolean =>
  /^\d{1,5}$/.test(text) && Number(text) >= min && Number(text) <= max;

/** The job wizard of the specification, `jobs/1` to `jobs/5`. */
export const JOB_WIZARD: WizardDefinition<JobData> = {
  id: 'backup-job',
  empty: EMPTY,
  steps: [
    {
      id: '1',
      fields: [
        'name',
        'description',
        'organizationId',
        'isTeamsChatsEnabled',
        'fileVersions',
        'isFullTextEnabled',
      ],
      check: (data) => [
        ...issue(data.name.trim() === '', 'name', t.nameMissing),
        ...issue(data.organizationId === null, 'organizationId', t.organizationMissing),
      ],
    },
    {
      id: '2',
      fields: ['backupType', 'selectedItems'],
      check: ({ backupType, selectedItems, otherSelected }) => {
        const count = selectedItems.length + otherSelected.length;
        return backupType === 'SelectedItems'
          ? [
              ...issue(count === 0, 'selectedItems', t.selectionMissing),
              ...issue(count > MAX, 'selectedItems', t.tooManyItems({ max: MAX })),
            ]
          : [];
      },
      dependsOn: ['organizationId'],
    },
    {
      id: '3',
      fields: ['excludedItems'],
      check: ({ backupType, selectedItems, excludedItems, otherExcluded }) => {
        const selected = new Set(selectedItems.map(getKey));
        const both =
          backupType === 'SelectedItems'
            ? excludedItems.find((item) => selected.has(getKey(item)))
            : undefined;
        const count = excludedItems.length + otherExcluded.length;
        return both
          ? issue(true, 'excludedItems', t.bothLists({ name: both.name }))
          : issue(count > MAX, 'excludedItems', t.tooManyItems({ max: MAX }));
      },
      dependsOn: ['organizationId', 'backupType', 'selectedItems'],
    },
    {
      id: '4',
      fields: ['proxyId', 'repositoryId'],
      check: ({ repositoryId }) =>
        issue(repositoryId === null, 'repositoryId', t.repositoryMissing),
      skip: ({ hasOnePlace }) => hasOnePlace,
      dependsOn: ['organizationId'],
    },
    {
      id: '5',
      fields: [
        'type',
        'dailyType',
        'time',
        'monthlyNumber',
        'monthlyDay',
        'periodicallyEvery',
        'chainedAfter',
        'retryEnabled',
        'retryNumber',
        'retryWait',
        'backupWindowEnabled',
        'backupWindow',
        'runNow',
      ],
      check: scheduleIssues,
    },
  ],
  // The items, the repository and the proxy are of one organization.
  adjust: (data, changes) =>
    'organizationId' in changes
      ? {
          ...data,
          selectedItems: [],
          excludedItems: [],
          otherSelected: [],
          otherExcluded: [],
          repositoryId: changes.repositoryId ?? null,
          proxyId: changes.proxyId ?? null,
        }
      : data,
};

function scheduleIssues(data: JobData): Issue[] {
  const schedule = getSchedule(data);
  return [
    ...issue(
      (data.type === 'Daily' || data.type === 'Monthly') && !TIME.test(data.time),
      'time',
      t.timeInvalid,
    ),
    ...issue(
      data.type === 'Chained' && !data.otherJobs.some(({ id }) => id === data.chainedAfter),
      'chainedAfter',
      t.chainMissing,
    ),
    ...issue(
      data.id !== null && makesCycle(data.id, schedule, data.otherJobs),
      'chainedAfter',
      t.chainCycle,
    ),
    ...(data.retryEnabled
      ? [
          ...issue(
            !isWithin(data.retryNumber, 1, 10),
            'retryNumber',
            t.numberInvalid({ min: 1, max: 10 }),
          ),
          ...issue(
            !isWithin(data.retryWait, 1, 1_440),
            'retryWait',
            t.numberInvalid({ min: 1, max: 1_440 }),
          ),
        ]
      : []),
    ...issue(
      data.backupWindowEnabled && !data.backupWindow.includes('1'),
      'backupWindow',
      t.windowEmpty,
    ),
  ];
}

/** Parts that a newly chosen item has. */
const DEFAULT_PARTS: Readonly<Record<PickerKind, readonly JobItemPart[]>> = {
  User: ['mailbox', 'oneDrive'],
  Group: ['mailbox', 'oneDrive', 'teams', 'members'],
  // The files of channels are part of the team.
  Team: ['teams'],
  Site: ['sites', 'subsites'],
};
/** Those on a Veeam server. */
const SERVER_PARTS: Readonly<Record<PickerKind, readonly JobItemPart[]>> = {
  User: ['mailbox', 'archiveMailbox', 'oneDrive', 'personalSite'],
  Group: ['members', 'mailbox', 'archiveMailbox', 'oneDrive', 'personalSite', 'sites'],
  Team: ['teams'],
  Site: ['subsites'],
};
export const defaultParts = (type: PickerKind, isOnServer: boolean): readonly JobItemPart[] =>
  (isOnServer ? SERVER_PARTS : DEFAULT_PARTS)[type];

/** The schedule as it was entered. Without a job to follow, it doesn't pass its check. */
export function getSchedule(data: JobData): Schedule {
  switch (data.type) {
    case 'Daily':
      return { type: data.type, dailyType: data.dailyType, dailyTime: data.time };
    case 'Monthly':
      return {
        type: data.type,
        monthlyNumber: data.monthlyNumber,
        monthlyDay: data.monthlyDay,
        monthlyTime: data.time,
      };
    case 'Periodically':
      return { type: data.type, periodicallyEvery: data.periodicallyEvery };
    case 'Chained':
      return { type: data.type, chainedAfter: (data.chainedAfter ?? '') as BackupJobId };
    case 'Continuously':
    case 'Disabled':
      return { type: data.type };
  }
}

/** Returns the data of an existing job. */
export function jobData(job: JobOut): JobData {
  const { schedule, backupWindow, retryNumber, retryWaitInterval } = job.schedulePolicy;
  return {
    ...EMPTY,
    id: job.id,
    version: job.version,
    name: job.name,
    description: job.description,
    organizationId: job.organizationId,
    isTeamsChatsEnabled: job.isTeamsChatsEnabled,
    isFullTextEnabled: job.isFullTextEnabled,
    fileVersions: job.fileVersions,
    backupType: job.backupType,
    selectedItems: job.selectedItems.flatMap(getSelection),
    excludedItems: job.excludedItems.flatMap(getSelection),
    otherSelected: job.selectedItems.flatMap(getOther),
    otherExcluded: job.excludedItems.flatMap(getOther),
    repositoryId: job.repositoryId,
    proxyId: job.proxyId,
    type: schedule.type,
    ...(schedule.type === 'Daily' && { dailyType: schedule.dailyType, time: schedule.dailyTime }),
    ...(schedule.type === 'Monthly' && {
      monthlyNumber: schedule.monthlyNumber,
      monthlyDay: schedule.monthlyDay,
      time: schedule.monthlyTime,
    }),
    ...(schedule.type === 'Periodically' && { periodicallyEvery: schedule.periodicallyEvery }),
    ...(schedule.type === 'Chained' && { chainedAfter: schedule.chainedAfter }),
    retryEnabled: retryNumber > 0,
    retryNumber: String(retryNumber === 0 ? EMPTY.retryNumber : retryNumber),
    retryWait: String(retryWaitInterval),
    backupWindowEnabled: backupWindow !== null,
    backupWindow: backupWindow ?? EMPTY.backupWindow,
  };
}

function getSelection(item: JobOut['selectedItems'][number]): ChosenItem[] {
  const type = PICKER_KINDS.find((kind) => kind === item.type);
  const id = item.id ?? (type === 'Site' ? ALL_SITES : null);
  return type === undefined || id === null
    ? []
    : [
        {
          type,
          id,
          name: item.id === null ? t.allSites : item.name || item.address || item.id,
          parts: JOB_ITEM_PARTS.filter((part) => item[part]),
        },
      ];
}

/** Returns an item of a kind that the page doesn't list, as it is. */
function getOther(item: JobOut['selectedItems'][number]): ItemIn[] {
  if (getSelection(item).length > 0) return [];
  const { name: _name, address: _address, ...rest } = item;
  return [rest];
}

/**
 * Returns the input of `createBackupJob`, of which `updateBackupJob` takes all but the organization.
 * `isOnServer`: a Veeam server has the job, and what it doesn't offer is left out.
 */
export function jobFields(
  data: JobData,
  isOnServer = false,
): Omit<InputOf<'updateBackupJob'>, 'jobId' | 'version'> {
  return {
    name: data.name.trim(),
    description: data.description.trim(),
    isTeamsChatsEnabled: !isOnServer && data.isTeamsChatsEnabled,
    isFullTextEnabled: !isOnServer && data.isFullTextEnabled,
    fileVersions: isOnServer ? 'none' : data.fileVersions,
    backupType: data.backupType,
    selectedItems:
      data.backupType === 'SelectedItems'
        ? [...data.selectedItems.map(getItem), ...data.otherSelected]
        : [],
    excludedItems: [...data.excludedItems.map(getItem), ...data.otherExcluded],
    repositoryId: data.repositoryId ?? '',
    proxyId: isOnServer ? null : data.proxyId,
    schedulePolicy: {
      schedule: getSchedule(data),
      backupWindow: data.backupWindowEnabled ? data.backupWindow : null,
      retryNumber: data.retryEnabled ? Number(data.retryNumber) : 0,
      retryWaitInterval: data.retryEnabled ? Number(data.retryWait) : 10,
    },
    runNow: data.runNow,
  };
}

const getItem = ({ type, id, parts }: ChosenItem) => ({
  type,
  id: type === 'Site' && id === ALL_SITES ? null : id,
  ...Object.fromEntries(JOB_ITEM_PARTS.map((part) => [part, parts.includes(part)])),
});

/** Returns issues of the server with the names of the wizard's fields. */
export const jobIssues = (issues: readonly Issue[]): readonly Issue[] =>
  issues.map(({ path, message }) => ({
    path: ISSUE_FIELDS.find(([start]) => path.startsWith(start))?.[1] ?? path.replace(/\.\d+$/, ''),
    message,
  }));
const ISSUE_FIELDS: readonly (readonly [start: string, field: keyof JobData])[] = [
  ['schedulePolicy.backupWindow', 'backupWindow'],
  ['schedulePolicy.schedule.type', 'type'],
  ['schedulePolicy.schedule.periodicallyEvery', 'periodicallyEvery'],
  ['schedulePolicy.schedule', 'chainedAfter'],
];
