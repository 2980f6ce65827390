import * as v from 'valibot';
import {
  RETENTION_TYPES,
  type RetentionPolicy,
  type RetentionType,
} from '#contract/backup/retention.ts';
import { serverRepositoryCalls } from '#contract/backup/server-repository-calls.ts';
import { DAILY_TYPES, MONTHLY_NUMBERS, WEEKDAYS } from '#contract/backup/schedule.ts';
import {
  CLEAN_UP_TYPES,
  type CleanUpSchedule,
  ServerPathSchema,
  type ServerRetention,
} from '#contract/backup/server-repositories.ts';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import { type FormSchema, makeFormSchema } from '#src/ui/form-schema.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

export type ServerSettings = OutputOf<'getServerRepository'>;
export type RetentionUnit = ServerRetention['unit'];

/** A repository of a Veeam server as its form has it. `existing`: the id of one that the server has. */
export interface ServerRepositoryForm {
  readonly isExisting: boolean;
  readonly existing: string;
  readonly repository: string;
  readonly description: string;
  readonly proxyId: string;
  readonly path: string;
  /** Empty: none. */
  readonly objectStorageId: string;
  readonly retentionType: RetentionType;
  readonly unit: RetentionUnit;
  readonly count: string;
  readonly policy: RetentionPolicy;
  readonly cleanUpType: CleanUpSchedule['type'];
  readonly dailyDay: Extract<CleanUpSchedule, { type: 'Daily' }>['day'];
  readonly monthlyNumber: Extract<CleanUpSchedule, { type: 'Monthly' }>['number'];
  readonly monthlyDay: Extract<CleanUpSchedule, { type: 'Monthly' }>['day'];
  readonly time: string;
}
export type ServerErrors = Readonly<Partial<Record<keyof ServerRepositoryForm, string>>>;

export const EMPTY_SERVER_FORM: ServerRepositoryForm = {
  isExisting: false,
  existing: '',
  repository: '',
  description: '',
  proxyId: '',
  path: '',
  objectStorageId: '',
  retentionType: RETENTION_TYPES[0],
  unit: 'years',
  count: '',
  policy: 'Years3',
  cleanUpType: CLEAN_UP_TYPES[0],
  dailyDay: DAILY_TYPES[0],
  monthlyNumber: MONTHLY_NUMBERS[0],
  monthlyDay: WEEKDAYS[0],
  time: '00:00',
};

/** A retention that will be shortened shows as what it will be. */
export function editServerForm(settings: ServerSettings): ServerRepositoryForm {
  const { repository, description, retentionType, cleanUp } = settings;
  const retention = settings.shortened?.retention ?? settings.retention;
  return {
    ...EMPTY_SERVER_FORM,
    repository,
    description,
    retentionType,
    unit: retention.unit,
    ...(retention.unit === 'years'
      ? { policy: retention.policy }
      : { count: String(retention.count) }),
    ...(cleanUp?.type === 'Daily' && {
      cleanUpType: cleanUp.type,
      dailyDay: cleanUp.day,
      time: cleanUp.time,
    }),
    ...(cleanUp?.type === 'Monthly' && {
      cleanUpType: cleanUp.type,
      monthlyNumber: cleanUp.number,
      monthlyDay: cleanUp.day,
      time: cleanUp.time,
    }),
  };
}

const MAX_COUNTS = { days: 9_999, months: 999 } as const;

/** Returns the retention of a form; null if its number is wrong. */
export function readRetention({
  unit,
  count,
  policy,
}: ServerRepositoryForm): ServerRetention | null {
  if (unit === 'years') return { unit, policy };
  const number = /^[1-9]\d{0,3}$/.test(count.trim()) ? Number(count) : 0;
  return number >= 1 && number <= MAX_COUNTS[unit] ? { unit, count: number } : null;
}

const readCleanUp = ({
  cleanUpType: type,
  dailyDay,
  monthlyNumber: number,
  monthlyDay,
  time,
}: ServerRepositoryForm): CleanUpSchedule | null => {
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) return null;
  return type === 'Daily' ? { type, day: dailyDay, time } : { type, number, day: monthlyDay, time };
};

/** What is read of the fields of a new and of an existing repository. */
function readFields(form: ServerRepositoryForm) {
  const retention = readRetention(form);
  const cleanUp = readCleanUp(form);
  const errors: ServerErrors = {
    ...(form.repository.trim() === '' && { repository: t.nameMissing }),
    ...(retention === null && {
      count: t.countWrong({ max: form.unit === 'months' ? MAX_COUNTS.months : MAX_COUNTS.days }),
    }),
    ...(cleanUp === null && { time: t.timeWrong }),
  };
  return { retention, cleanUp, errors };
}

/** The input of `createServerRepository`. */
export const makeServerSchema = (
  organizationId: string,
): FormSchema<ServerRepositoryForm, InputOf<'createServerRepository'>> =>
  makeFormSchema(
    serverRepositoryCalls.createServerRepository.input,
    (form: ServerRepositoryForm) => {
      const { retention, cleanUp, errors: found } = readFields(form);
      const errors: ServerErrors = {
        ...found,
        ...(form.proxyId === '' && { proxyId: t.proxyMissing }),
        ...(!v.is(ServerPathSchema, form.path) && { path: t.pathInvalid }),
      };
      if (retention === null || cleanUp === null || Object.keys(errors).length > 0)
        return { value: null, errors };
      return {
        value: {
          organizationId,
          repository: form.repository.trim(),
          description: form.description.trim(),
          retentionType: form.retentionType,
          retention,
          cleanUp,
          proxyId: form.proxyId,
          path: form.path.trim(),
          objectStorageId: form.objectStorageId === '' ? null : form.objectStorageId,
        },
        errors,
      };
    },
  );

/** The input of `addServerRepository`. */
export const makeExistingSchema = (
  organizationId: string,
): FormSchema<ServerRepositoryForm, InputOf<'addServerRepository'>> =>
  makeFormSchema(
    serverRepositoryCalls.addServerRepository.input,
    ({ existing: key }: ServerRepositoryForm) =>
      key === ''
        ? { value: null, errors: { existing: t.existingMissing } }
        : { value: { organizationId, key } },
  );

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The input of `updateServerRepository`: only what differs from `before`. */
export const makeServerEditSchema = (
  id: string,
  version: string,
  before: ServerRepositoryForm,
): FormSchema<ServerRepositoryForm, InputOf<'updateServerRepository'>> =>
  makeFormSchema(
    serverRepositoryCalls.updateServerRepository.input,
    (form: ServerRepositoryForm) => {
      const { retention, cleanUp, errors } = readFields(form);
      if (retention === null || cleanUp === null || Object.keys(errors).length > 0)
        return { value: null, errors };
      return {
        value: {
          id,
          version,
          ...(form.repository.trim() !== before.repository && {
            repository: form.repository.trim(),
          }),
          ...(form.description.trim() !== before.description && {
            description: form.description.trim(),
          }),
          ...(!isSame(retention, readRetention(before)) && { retention }),
          ...(!isSame(cleanUp, readCleanUp(before)) && { cleanUp }),
        },
        errors,
      };
    },
  );
