import { readLabels } from '../i18n/labels.ts';
import { entityMessages } from './messages.en.ts';

/**
 * Systems from which the server collects results on a schedule: Veeam Service Provider Console,
 * Veeam Backup & Replication, Veeam Backup for Microsoft 365, Zerto.
 */
export const COLLECTOR_KINDS = ['vspc', 'vbr', 'vb365', 'zerto'] as const;
export type CollectorKind = (typeof COLLECTOR_KINDS)[number];

export const COLLECTOR_NAMES: Readonly<Record<CollectorKind, string>> = {
  vspc: 'Veeam Service Provider Console',
  vbr: 'Veeam Backup & Replication',
  vb365: 'Veeam Backup for Microsoft 365',
  zerto: 'Zerto',
};

/**
 * What is collected. Each entity is synced separately, so that a failing one doesn't delay the
 * others.
 */
export const ENTITIES = [
  'companies',
  'organizations',
  'servers',
  'agents',
  'jobs',
  'agent-jobs',
  'office365-jobs',
  'sessions',
  'repositories',
  'computers',
  'alarms',
  'licences',
] as const;
export type Entity = (typeof ENTITIES)[number];

export const ENTITY_NAMES: Readonly<Record<Entity, string>> = readLabels(entityMessages, {
  'companies': 'companies',
  'organizations': 'organizations',
  'servers': 'servers',
  'agents': 'agents',
  'jobs': 'jobs',
  'agent-jobs': 'agentJobs',
  'office365-jobs': 'microsoft365Jobs',
  'sessions': 'sessions',
  'repositories': 'repositories',
  'computers': 'computers',
  'alarms': 'alarms',
  'licences': 'licenses',
});

/** The entities of each system in sync order: an entity comes after those it refers to. */
export const ENTITIES_OF: Readonly<Record<CollectorKind, readonly Entity[]>> = {
  vspc: ENTITIES.filter((entity) => entity !== 'organizations'),
  vbr: ['jobs', 'sessions', 'repositories', 'licences'],
  vb365: ['organizations', 'jobs', 'sessions', 'repositories', 'licences'],
  zerto: ['jobs', 'alarms'],
};

/**
 * Entities that bring results. While one of them fails, no results are expected from the
 * connection's jobs (RUN-3).
 */
export const RESULT_ENTITIES = [
  'jobs',
  'agent-jobs',
  'office365-jobs',
  'sessions',
] as const satisfies readonly Entity[];

const MINUTE_SEC = 60;
const HOUR_SEC = 3_600;
/**
 * Minimum seconds between two syncs of an entity. Results are synced at the connection's own
 * interval.
 */
const MIN_EVERY_SEC: Readonly<Record<Entity, number>> = {
  'companies': HOUR_SEC,
  'organizations': 15 * MINUTE_SEC,
  'servers': 15 * MINUTE_SEC,
  'agents': 15 * MINUTE_SEC,
  'jobs': 0,
  'agent-jobs': 0,
  'office365-jobs': 0,
  'sessions': 0,
  'repositories': HOUR_SEC,
  'computers': HOUR_SEC,
  'alarms': 0,
  'licences': 24 * HOUR_SEC,
};
export const getSyncInterval = (entity: Entity, everySec: number): number =>
  Math.max(MIN_EVERY_SEC[entity], everySec);

/** The sign-in methods of each system. */
export const SIGN_INS = ['key', 'password', 'client'] as const;
export type SignInMethod = (typeof SIGN_INS)[number];
export const SIGN_INS_OF: Readonly<Record<CollectorKind, readonly SignInMethod[]>> = {
  vspc: ['key', 'password'],
  vbr: ['password'],
  vb365: ['password'],
  zerto: ['client', 'password'],
};

/** What can be done with a job on the system that has it. Only servers of Microsoft 365 offer it. */
export const JOB_ACTIONS = ['start', 'stop', 'enable', 'disable'] as const;
export const canCommandJobs = (kind: CollectorKind): boolean => kind === 'vb365';

/**
 * The entity by which a system for many companies says whose a result is; null for a system of one
 * company.
 */
export const OWNERS_OF = {
  vspc: 'companies',
  vbr: null,
  vb365: 'organizations',
  zerto: null,
} as const satisfies Readonly<Record<CollectorKind, Entity | null>>;

export type CollectionStatus = 'waiting' | 'running' | 'succeeded' | 'failed';
