import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';
import { addExclusion } from './exclusions.ts';
import { RECENT_SESSIONS } from './jobs.ts';

export function foldOrganizations(rows: Rows, { event, at }: LoggedAbout<'organization'>): void {
  const table = rows.organization;
  if (event.type === 'organization.created@1') {
    table?.set(event.data.id, {
      ...event.data,
      createdAt: at,
      updatedAt: at,
      removedAt: null,
      dataUntil: null,
    });
    return;
  }
  const row = table?.get(event.data.id);
  if (row === undefined) return;
  switch (event.type) {
    case 'organization.updated@1':
    case 'organization.renewed@1':
      table?.set(row.id, { ...row, ...event.data, updatedAt: at });
      return;
    case 'organization.approvalset@1':
      table?.set(row.id, { ...row, needsApproval: event.data.needsApproval, updatedAt: at });
      return;
    case 'organization.holdplaced@1': {
      const hold = { ...event.data.hold, at };
      table?.set(row.id, { ...row, holds: [...(row.holds ?? []), hold], updatedAt: at });
      return;
    }
    case 'organization.holdreleased@1': {
      const holds = (row.holds ?? []).filter(({ id }) => id !== event.data.hold);
      table?.set(row.id, { ...row, holds, updatedAt: at });
      return;
    }
    case 'organization.personexcluded@1': {
      const exclusion = { ...event.data.exclusion, at, endedAt: null };
      table?.set(row.id, { ...row, exclusions: addExclusion(row, exclusion), updatedAt: at });
      return;
    }
    case 'organization.exclusionended@1': {
      const exclusions = (row.exclusions ?? []).map((exclusion) =>
        exclusion.id === event.data.exclusion ? { ...exclusion, endedAt: at } : exclusion,
      );
      table?.set(row.id, { ...row, exclusions, updatedAt: at });
      return;
    }
    case 'organization.deleted@1':
      table?.set(row.id, { ...row, dataUntil: event.data.dataUntil, removedAt: at });
      return;
    default:
      event satisfies never;
  }
}

export const touchesOrganizations = ({ data }: EventOf<EventsAbout<'organization'>>): Touch[] => [
  ['organization', data.id],
];

export function foldBackupRepositories(
  rows: Rows,
  { event, at }: LoggedAbout<'backupRepository'>,
): void {
  const table = rows.backupRepository;
  if (event.type === 'backuprepository.created@1') {
    table?.set(event.data.id, {
      ...event.data,
      verifiedAt: null,
      damaged: 0,
      cleanedAt: null,
      createdAt: at,
      updatedAt: at,
      removedAt: null,
    });
    return;
  }
  const row = table?.get(event.data.id);
  if (row === undefined) return;
  switch (event.type) {
    case 'backuprepository.updated@1':
      table?.set(row.id, { ...row, ...event.data, updatedAt: at });
      return;
    case 'backuprepository.verified@1':
      table?.set(row.id, {
        ...row,
        damaged: event.data.damaged,
        verifiedAt: event.data.partial === true ? row.verifiedAt : at,
      });
      return;
    case 'backuprepository.cleaned@1':
      table?.set(row.id, { ...row, cleanedAt: at });
      return;
    case 'backuprepository.tampered@1':
      // Only the engine and the log know of it.
      return;
    case 'backuprepository.deleted@1':
      table?.set(row.id, { ...row, removedAt: at });
      return;
    default:
      event satisfies never;
  }
}

export const touchesBackupRepositories = ({
  data,
}: EventOf<EventsAbout<'backupRepository'>>): Touch[] => [['backupRepository', data.id]];

export function foldBackupProxies(rows: Rows, { event, at }: LoggedAbout<'backupProxy'>): void {
  const table = rows.backupProxy;
  if (event.type === 'backupproxy.joined@1') {
    table?.set(event.data.id, { ...event.data, joinedAt: at, updatedAt: at, removedAt: null });
    return;
  }
  const row = table?.get(event.data.id);
  if (row === undefined) return;
  switch (event.type) {
    case 'backupproxy.updated@1':
      table?.set(row.id, { ...row, ...event.data, updatedAt: at });
      return;
    case 'backupproxy.left@1':
      table?.set(row.id, { ...row, removedAt: at });
      return;
    default:
      event satisfies never;
  }
}

export const touchesBackupProxies = ({ data }: EventOf<EventsAbout<'backupProxy'>>): Touch[] => [
  ['backupProxy', data.id],
];

const NOBODY = { enabled: false, notifyOnFailure: false, userIds: [], externalCount: 0 };

export function foldBackupJobs(rows: Rows, { event, at }: LoggedAbout<'backupJob'>): void {
  const table = rows.backupJob;
  if (event.type === 'backupjob.created@1') {
    table?.set(event.data.id, {
      ...event.data,
      notifications: NOBODY,
      running: null,
      recent: [],
      attempt: 0,
      scheduledAt: at,
      lastPointAt: null,
      createdAt: at,
      updatedAt: at,
      removedAt: null,
    });
    return;
  }
  const row = table?.get(getJobId(event));
  if (row === undefined) return;
  switch (event.type) {
    case 'backupjob.updated@1':
      table?.set(row.id, { ...row, ...event.data, scheduledAt: at, updatedAt: at });
      return;
    case 'backupjob.enabled@1':
      table?.set(row.id, { ...row, enabled: true, scheduledAt: at });
      return;
    case 'backupjob.disabled@1':
      table?.set(row.id, { ...row, enabled: false });
      return;
    case 'backupjob.notificationsUpdated@1':
      table?.set(row.id, { ...row, notifications: event.data.notifications });
      return;
    case 'backupjob.deleted@1':
      table?.set(row.id, { ...row, removedAt: at });
      return;
    case 'backupsession.started@1':
      table?.set(row.id, {
        ...row,
        running: { id: event.data.id, startedAt: at },
        attempt: event.data.reason === 'retry' ? row.attempt + 1 : 0,
      });
      return;
    case 'backupsession.ended@1': {
      const { id, job: _, ...ended } = event.data;
      const startedAt = row.running?.id === id ? row.running.startedAt : at;
      table?.set(row.id, {
        ...row,
        running: row.running?.id === id ? null : row.running,
        recent: [{ id, startedAt, endedAt: at, ...ended }, ...row.recent].slice(0, RECENT_SESSIONS),
        lastPointAt: ended.point === null ? row.lastPointAt : at,
      });
      return;
    }
    default:
      event satisfies never;
  }
}

/** The id of the job that the event is about; a session's own id is another one. */
const getJobId = ({ data }: EventOf<EventsAbout<'backupJob'>>): string =>
  'job' in data ? data.job : data.id;

export const touchesBackupJobs = (event: EventOf<EventsAbout<'backupJob'>>): Touch[] => [
  ['backupJob', getJobId(event)],
];
