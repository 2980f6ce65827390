import type { Ms } from '#contract/ids.ts';
import { saysLittle } from '#contract/runs/first-line.ts';
import type { RunRow } from '#contract/runs/rows.ts';
import type { Normal } from './normalize.ts';

/** The known result of a run. */
export type RunResult = Pick<
  RunRow,
  | 'durationSec'
  | 'bytes'
  | 'bytesProcessed'
  | 'files'
  | 'filesFailed'
  | 'message'
  | 'exitCode'
  | 'level'
  | 'scheduledFor'
  | 'errorCount'
  | 'warningCount'
  | 'detail'
> & { readonly status: Exclude<Normal['status'], 'Running'>; readonly endedAt: Ms };

/**
 * RUN-10: merges a result with what is known of its run. The status sent last counts, and missing
 * fields keep their value. A message that only says that something failed does not replace one that
 * says why.
 */
export function mergeResult(one: Normal, known: RunRow | null, startedAt: Ms, at: Ms): RunResult {
  const finished = known !== null && known.status !== 'Running' ? known : null;
  const paired = known?.status === 'Running';
  // A repeated result without times keeps the times of its first arrival.
  const again = one.byArrival && finished !== null;
  const endedAt = again
    ? (finished.endedAt ?? at)
    : Math.max(
        startedAt,
        one.endedAt ??
          finished?.endedAt ??
          (one.durationSec !== null ? startedAt + one.durationSec * 1000 : at),
      );
  const durationSec = again
    ? (finished.durationSec ?? one.durationSec)
    : (one.durationSec ??
      (finished?.endedAt === endedAt ? finished.durationSec : null) ??
      (!one.listed && (one.endedAt !== null || paired)
        ? Math.round((endedAt - startedAt) / 1000)
        : (finished?.durationSec ?? null)));
  return {
    status: one.status as RunResult['status'],
    endedAt,
    durationSec,
    bytes: one.bytes ?? known?.bytes ?? null,
    bytesProcessed: one.bytesProcessed ?? known?.bytesProcessed ?? null,
    files: one.files ?? known?.files ?? null,
    filesFailed: one.filesFailed ?? known?.filesFailed ?? null,
    exitCode: one.exitCode ?? (known?.status === one.status ? known.exitCode : null),
    message: getMessage(one, finished),
    detail: getDetail(one, known),
    ...definedField('level', one.level ?? known?.level),
    ...definedField('scheduledFor', one.scheduledFor ?? known?.scheduledFor),
    ...definedField('errorCount', one.errorCount ?? known?.errorCount),
    ...definedField('warningCount', one.warningCount ?? known?.warningCount),
  };
}

/** Returns whether a result contains nothing new. */
export function isKnown(known: RunRow, result: RunResult, one: Normal): boolean {
  const log = one.log === null || known.hasLog;
  return (
    log &&
    FIELDS.every((name) => (known[name] ?? null) === (result[name] ?? null)) &&
    (result.status === 'Success' || known.message === result.message) &&
    (one.byArrival ||
      one.startedAt === null ||
      (known.endedAt === result.endedAt && known.durationSec === result.durationSec))
  );
}
const FIELDS = [
  'status',
  'exitCode',
  'bytes',
  'bytesProcessed',
  'files',
  'filesFailed',
  'level',
  'scheduledFor',
  'errorCount',
  'warningCount',
] as const;

const isBad = (status: RunRow['status']): boolean => status !== 'Success' && status !== 'Running';

function getMessage(one: Normal, known: RunRow | null): string | null {
  const before = known !== null && isBad(known.status) && isBad(one.status) ? known.message : null;
  return before !== null && !saysLittle(before) && (one.message === null || saysLittle(one.message))
    ? before
    : (one.message ?? before);
}

/** The message of a success is stored in its details; a later failure drops it. */
function getDetail(one: Normal, known: RunRow | null): RunRow['detail'] {
  if (known === null) return one.detail;
  const { message, ...before } = known.detail;
  const said = Object.fromEntries(Object.entries(one.detail).filter(([, value]) => value !== null));
  return {
    ...before,
    ...(one.status === 'Success' && message !== undefined ? { message } : {}),
    ...said,
  };
}

const definedField = <K extends string, T>(
  name: K,
  value: T | null | undefined,
): { readonly [P in K]?: T } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { readonly [P in K]: T });

/** Returns what is known of a run before it ends. */
export const getPlannedRun = (one: Normal): Pick<RunRow, 'level' | 'scheduledFor'> => ({
  ...definedField('level', one.level),
  ...definedField('scheduledFor', one.scheduledFor),
});
