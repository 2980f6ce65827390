import { PLAIN_BRANDING } from '#contract/branding/branding.ts';
/** Providers and events for tests of the store. */
import { randomUUID } from 'node:crypto';
import type { Branding } from '#contract/branding/branding.ts';
import type { NewEvent } from '#contract/events.ts';
import type { TenantId } from '#contract/ids.ts';
import type { EventMeta, Store } from '#server/platform/db/store.ts';
import { makeTenant } from '#server/platform/db/tenants.ts';

export const aBranding: Branding = {
  id: 'p',
  name: 'Provider',
  title: 'Provider',
  favIconUrl: null,
  apiUrl: '/api/v1',
  domain: 'localhost',
  sidebarLogoUrl: null,
  sidebarLogoWidth: null,
  sidebarLogoHeight: null,
  sidebarTitle: 'Provider',
  supportEmail: null,
  supportPhone: null,
  authType: 'db',
  isStripeEnabled: false,
  accent: null,
  accentDark: null,
  sidebar: null,
  sidebarDark: null,
  timeZone: 'UTC',
  dayBeginsHour: 0,
  offlineDays: 7,
  ...PLAIN_BRANDING,
};

export const KEY = '11111111-1111-4111-8111-111111111111';
export const byClock: EventMeta = {
  actor: { kind: 'clock' },
  subject: null,
  commandId: null,
  at: 1_790_000_000_000,
};

/** A new provider with nothing in it. */
export async function aTenant(store: Store): Promise<TenantId> {
  const tenant = randomUUID();
  await makeTenant(store, { tenant, host: null, branding: aBranding, isDefault: false });
  return tenant;
}

export const companyDraft = (n: number): NewEvent => ({
  company: n,
  entity: `company:${n}`,
  event: { type: 'company.created@1', data: { n, id: randomUUID(), name: `Company ${n}` } },
});

const JOB = {
  source: 'restic',
  type: 'Backup',
  group: 'other',
  computer: 'pc',
  server: '',
  managed: null,
  enabled: true,
  schedule: null,
  graceSec: null,
} as const;

export const jobDraft = (n: number, name = `Job ${n}`): NewEvent => ({
  company: 1,
  entity: `job:${n}`,
  event: { type: 'job.found@1', data: { n, uid: `job-${n}`, key: KEY, company: 1, name, ...JOB } },
});

export const jobChange = (n: number, name: string): NewEvent => ({
  company: 1,
  entity: `job:${n}`,
  event: { type: 'job.updated@1', data: { n, name, ...JOB } },
});

interface RunOf {
  readonly n: number;
  readonly job?: number;
  readonly startedAt?: number;
  readonly problem?: number | null;
  readonly message?: string | null;
  readonly corrects?: { readonly problem: number | null };
}

export const runStart = ({ n, job = 1, startedAt = byClock.at }: RunOf): NewEvent => ({
  company: 1,
  entity: `run:${n}`,
  event: {
    type: 'run.started@1',
    data: { n, job, company: 1, key: KEY, uid: `run-${n}`, startedAt },
  },
});

export const runDraft = ({
  n,
  job = 1,
  startedAt = byClock.at,
  problem = null,
  message = null,
  corrects,
}: RunOf): NewEvent => ({
  company: 1,
  entity: `run:${n}`,
  event: {
    type: 'run.finished@1',
    data: {
      n,
      job,
      company: 1,
      key: KEY,
      uid: `run-${n}`,
      startedAt,
      status: problem === null ? 'Success' : 'Failed',
      endedAt: startedAt + 60_000,
      durationSec: 60,
      bytes: 1000 + n,
      bytesProcessed: 5000,
      files: 3,
      filesFailed: 0,
      message,
      exitCode: 0,
      anomaly: [],
      problem,
      hasLog: false,
      detail: { snapshot: `s${n}`, share: 0.1 },
      ...(corrects && { corrects }),
    },
  },
});

export const problemDraft = (
  n: number,
  job: number,
  run: number,
  startedAt = byClock.at,
): NewEvent => ({
  company: 1,
  entity: `problem:${n}`,
  event: {
    type: 'problem.opened@1',
    data: { n, job, company: 1, cause: 1, state: 'Failed', run, startedAt },
  },
});
