import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { canonical } from '#server/platform/db/canonical.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { type JobItems, type JobSettings, type PortalTime, toJobSettings } from './map-job.ts';
import { vb365Messages as t } from './messages.en.ts';
import type { OpenedServer } from './servers.ts';
import { JobItemShape, JobShape, type Vb365Job } from './shapes.ts';
import { getSettings, type RawRow } from './write-job.ts';
import { RawShape } from './write-lists.ts';

/** A job with everything that the server has of it. */
export interface ReadJob {
  readonly raw: RawRow;
  readonly job: Vb365Job;
  /** Null: it backs up its entire organization, so there are none to choose. */
  readonly selected: readonly RawRow[] | null;
  readonly excluded: readonly RawRow[];
  readonly settings: JobSettings;
}

/** Whether a job was the same in two readings, but for what its sessions change. */
export const isSameJob = (one: ReadJob, other: ReadJob): boolean =>
  isDeepStrictEqual(
    [getSettings(one.raw), one.selected, one.excluded],
    [getSettings(other.raw), other.selected, other.excluded],
  );

/** Reads a job with all its items, as the server has them. */
export async function readJob(
  { client }: OpenedServer,
  jobKey: string,
  place: PortalTime,
): Promise<ReadJob> {
  const raw = await client.read(getPath(jobKey), RawShape);
  const parsed = v.safeParse(JobShape, raw);
  if (!parsed.success) throw new SourceError('failed', t.otherForm);
  const job = parsed.output;
  const isV8 = (await client.findVersion()) === 'v8';
  const hasSelection = job.backupType !== 'EntireOrganization';
  const readList = async (list: string): Promise<RawRow[]> => {
    const rows: RawRow[] = [];
    for await (const page of client.readPages(`${getPath(jobKey)}/${list}`, RawShape))
      rows.push(...page);
    return rows;
  };
  const selected = isV8
    ? hasSelection
      ? await readList('SelectedItems')
      : null
    : getRows(raw['selectedItems']);
  const excluded = isV8 ? await readList('ExcludedItems') : getRows(raw['excludedItems']);
  const items: JobItems = { selected: parseItems(selected ?? []), excluded: parseItems(excluded) };
  return { raw, job, selected, excluded, settings: toJobSettings(job, items, place) };
}

function parseItems(rows: readonly RawRow[]): JobItems['selected'] {
  const parsed = v.safeParse(v.array(JobItemShape), rows);
  if (!parsed.success) throw new SourceError('failed', t.otherForm);
  return parsed.output;
}
const getRows = (value: unknown): RawRow[] => {
  const parsed = v.safeParse(v.array(RawShape), value ?? []);
  if (!parsed.success) throw new SourceError('failed', t.otherForm);
  return parsed.output;
};
export const getPath = (jobKey: string): string => `Jobs/${encodeURIComponent(jobKey)}`;

/**
 * Reads a job again right before it is changed. Version 8 has its items apart, so the job is read
 * again after them: null if it changes again and again meanwhile.
 */
export async function readSettled(
  opened: OpenedServer,
  jobKey: string,
  place: PortalTime,
): Promise<ReadJob | null> {
  for (let tries = 0; tries < 3; tries += 1) {
    const read = await readJob(opened, jobKey, place);
    if ((await opened.client.findVersion()) === 'v7') return read;
    const last = await opened.client.read(getPath(jobKey), RawShape);
    const isSame = isDeepStrictEqual(getSettings(last), getSettings(read.raw));
    if (isSame && last['eTag'] === read.raw['eTag']) return read;
  }
  return null;
}

/** A clock that never changes: fingerprints compare times as the server has them. */
const FIXED: PortalTime = { timeZone: 'UTC', now: 0, clock: null };

/**
 * Returns a fingerprint of a job's settings: the same for a job as it was sent and as its server gives
 * it, whatever the order of its items and what the server adds.
 */
export function getJobFingerprint(job: Vb365Job, items: JobItems): string {
  const { name, description, backupType, selectedItems, excludedItems, schedulePolicy } =
    toJobSettings({ ...job, nextRun: null }, items, FIXED);
  const parts = {
    name,
    description,
    backupType,
    repository: job.repositoryId ?? null,
    selected: backupType === 'SelectedItems' ? sorted(selectedItems) : [],
    excluded: sorted(excludedItems),
    schedulePolicy,
  };
  return createHash('sha256').update(canonical(parts)).digest('hex');
}

const sorted = (rows: JobSettings['selectedItems']) => rows.map(canonical).toSorted();

/** Returns the fingerprint of a job that is sent. */
export function getSentFingerprint(body: RawRow): string {
  const job = v.parse(JobShape, { ...body, id: 'sent' });
  return getJobFingerprint(job, {
    selected: job.selectedItems ?? [],
    excluded: job.excludedItems ?? [],
  });
}

/** Returns the fingerprint of a job that was read. */
export const getReadFingerprint = ({ job, selected, excluded }: ReadJob): string =>
  getJobFingerprint(job, { selected: parseItems(selected ?? []), excluded: parseItems(excluded) });
