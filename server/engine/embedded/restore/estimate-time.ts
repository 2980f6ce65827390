import type { ItemKind, ObjectKind } from '#contract/engine/engine.ts';
import type { RestoreEstimate } from '#contract/engine/estimate.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/time/durations.ts';
import type { CurrentLimit, GraphService, Lane } from '../graph/governor.ts';
import { getQuotaMs, type Quota, QUOTAS } from '../graph/quotas.ts';

/** What a restore does in one mailbox, drive, site or team. */
export interface ObjectWork {
  readonly kind: ObjectKind;
  /** Its id in the cloud. */
  readonly object: string;
  /** Items that are written, by kind. */
  readonly written: Readonly<Partial<Record<ItemKind, number>>>;
  /** Items that are only looked for: the target has them. */
  readonly skipped: number;
  /** Of what is written. */
  readonly bytes: Bytes;
}

/** A restore that has ended. */
export interface MeasuredRestore {
  readonly work: readonly ObjectWork[];
  readonly durationMs: Ms;
}

const SERVICES: Readonly<Record<ObjectKind, GraphService>> = {
  mailbox: 'mailbox',
  archive: 'mailbox',
  drive: 'drive',
  site: 'drive',
  team: 'team',
};
const getService = (kind: ObjectKind): GraphService => SERVICES[kind];

/** Requests with which an item is looked for and written. Folders are found once. */
const REQUESTS: Readonly<Record<ItemKind, number>> = {
  mail: 5,
  event: 6,
  contact: 6,
  task: 6,
  note: 5,
  file: 8,
  row: 4,
  post: 4,
  tab: 4,
  settings: 10,
};
const LOOKUP_REQUESTS = 2;
/** What is assumed until a restore was measured. */
export const ASSUMED = { requestMs: 300, bytesPerSecond: 5_000_000, concurrent: 4 } as const;
/** One restore may not count for more than this. */
const MAX_FACTOR = 20;

/** Without a limit of Microsoft 365 and without a measurement. */
function getWork({ written, skipped, bytes }: ObjectWork): {
  readonly requests: number;
  readonly workMs: Ms;
} {
  const requests =
    Object.entries(written).reduce(
      (sum, [kind, count]) => sum + REQUESTS[kind as ItemKind] * count,
      0,
    ) +
    LOOKUP_REQUESTS * skipped;
  const workMs =
    (requests * ASSUMED.requestMs) / ASSUMED.concurrent + (1_000 * bytes) / ASSUMED.bytesPerSecond;
  return { requests, workMs };
}

/** How much slower or faster recent restores were than is assumed; null: there are none. */
function getFactor(restores: readonly MeasuredRestore[]): number | null {
  let measuredMs = 0;
  let assumedMs = 0;
  for (const { work, durationMs } of restores) {
    measuredMs += durationMs;
    for (const one of work) assumedMs += getWork(one).workMs;
  }
  if (assumedMs === 0 || measuredMs === 0) return null;
  return Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, measuredMs / assumedMs));
}

/**
 * Estimates a restore: object after object, at the speed of recent restores, with as many requests at
 * once as the rate limiter allows now, and never faster than Microsoft's limits. `getLimit`: of a
 * mailbox, drive or team now.
 */
export function estimateTime(
  work: readonly ObjectWork[],
  restores: readonly MeasuredRestore[],
  getLimit: (lane: Lane) => CurrentLimit,
): Pick<RestoreEstimate, 'durationMs' | 'limit' | 'restores'> {
  const factor = getFactor(restores);
  const spent: Record<RestoreEstimate['limit'], Ms> = {
    speed: 0,
    requests: 0,
    upload: 0,
    throttled: 0,
  };
  let pausedMs = 0;
  for (const one of work) {
    const service = getService(one.kind);
    const limit = getLimit({ service, object: one.object });
    const quotas = QUOTAS[service];
    const { requests, workMs } = getWork(one);
    const fullMs = workMs * (factor ?? 1);
    const slowMs = fullMs * Math.max(1, ASSUMED.concurrent / Math.max(1, limit.concurrent));
    const ms = (quota: Quota | undefined, amount: number): Ms =>
      quota === undefined ? slowMs : getQuotaMs(quota, amount, slowMs);
    const byRequests = ms(quotas.requests, requests);
    const byUpload = ms(quotas.uploadedBytes, one.bytes);
    const longest = Math.max(byRequests, byUpload);
    const by =
      longest <= slowMs
        ? slowMs > fullMs
          ? 'throttled'
          : 'speed'
        : byUpload > byRequests
          ? 'upload'
          : 'requests';
    spent[by] += longest;
    pausedMs = Math.max(pausedMs, limit.pausedMs);
  }
  spent.throttled += pausedMs;
  const durationMs = Object.values(spent).reduce((sum, one) => sum + one, 0);
  const limit = (Object.keys(spent) as (keyof typeof spent)[]).reduce((a, b) =>
    spent[b] > spent[a] ? b : a,
  );
  return {
    durationMs: roundDuration(durationMs),
    limit,
    restores: factor === null ? 0 : restores.length,
  };
}

/** What a person would say: a minute, 20 minutes, an hour and a half, two days. */
const STEPS: readonly Ms[] = [
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45].map((minutes) => minutes * MINUTE_MS),
  ...[1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 18].map((hours) => hours * HOUR_MS),
  ...[1, 1.5, 2, 3, 4, 5, 7, 10, 14, 21, 30].map((days) => days * DAY_MS),
];

/** Rounds up to the next of a few steps. */
export function roundDuration(ms: Ms): Ms {
  return STEPS.find((step) => ms <= step) ?? Math.ceil(ms / DAY_MS) * DAY_MS;
}
