/** Results as backup tools post them: the same seed, the same bodies. */
import { getChance } from './data.ts';

export interface Batch {
  readonly key: number;
  readonly body: string;
}

const FAILURES: readonly ((
  host: string,
  n: number,
) => readonly [status: 'Failed' | 'Warning' | 'Error', message: string, exitCode: number])[] = [
  (host, n) => [
    'Failed',
    `Fatal: unable to open repository at sftp:backup@${host}:/srv/restic-${n % 40}: dial tcp 10.0.${n % 250}.${n % 199}:22: connect: connection refused`,
    1,
  ],
  (host, n) => [
    'Failed',
    `repository ${host} is already locked by PID ${1000 + n} on ${host} by root (UID 0, GID 0), lock was created at 2026-11-18 0${n % 9}:14:33 (4m${n % 60}s ago)`,
    11,
  ],
  (_, n) => [
    'Warning',
    `Warning: ${n % 90} source files could not be read: /home/user${n}/.cache/${n * 7}: permission denied`,
    3,
  ],
  (_, n) => [
    'Failed',
    `write /mnt/backup/data/${((n * 2_654_435_761) % 2 ** 32).toString(16)}: no space left on device`,
    1,
  ],
  (host, n) => [
    'Error',
    `Failed to create snapshot of ${host}: VSS writer 'SqlServerWriter' timed out after ${n % 900} s (0x800423f2)`,
    2,
  ],
];

/**
 * `rounds` runs of each of `jobs` jobs that are spread over `keys` keys, in batches of one key: a
 * round is what one night brings. Seven of a hundred runs end badly and are likely to end so again;
 * one in a hundred good ones is unusually large.
 */
export function makeResults({
  jobs,
  keys,
  rounds,
  batch,
  seed,
  first = Date.UTC(2026, 0, 1, 22),
}: {
  readonly jobs: number;
  readonly keys: number;
  readonly rounds: number;
  readonly batch: number;
  readonly seed: number;
  /** When the first round begins. */
  readonly first?: number;
}): Batch[] {
  const chance = getChance(seed);
  const failing = new Map<number, number>();
  const batches: Batch[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let key = 0; key < keys; key += 1) {
      let records: unknown[] = [];
      const send = (): void => {
        if (records.length > 0) batches.push({ key, body: JSON.stringify(records) });
        records = [];
      };
      for (let job = key; job < jobs; job += keys) {
        records.push(result(job, first + round * 86_400_000 + Math.floor(chance() * 3_600_000)));
        if (records.length === batch) send();
      }
      send();
    }
  }
  return batches;

  function result(job: number, startedAt: number): Readonly<Record<string, unknown>> {
    const before = failing.get(job);
    const kind =
      before !== undefined && chance() < 0.5
        ? before
        : chance() < 0.07
          ? Math.floor(chance() * FAILURES.length)
          : undefined;
    if (kind === undefined) failing.delete(job);
    else failing.set(job, kind);
    const host = `srv-${job % 997}.example.com`;
    const [status, message, exitCode] =
      kind === undefined
        ? (['Success', null, 0] as const)
        : (FAILURES[kind]?.(host, Math.floor(chance() * 100_000)) ??
          (['Failed', null, 1] as const));
    const usual = 1 + (job % 900);
    const seconds = 60 + usual * 3 + Math.floor(chance() * 20);
    const bytes = Math.round(
      usual * 7_000_000 * (0.95 + chance() * 0.1) * (chance() < 0.01 ? 9 : 1),
    );
    return {
      job: `Backup of server ${job}`,
      jobInstanceUid: `job-${job}`,
      computer: host,
      source: 'restic',
      type: 'Backup',
      externalId: `${startedAt.toString(16)}${job.toString(16).padStart(5, '0')}`,
      status,
      startTime: new Date(startedAt).toISOString(),
      endTime: new Date(startedAt + seconds * 1000).toISOString(),
      durationSec: seconds,
      bytesTransferred: bytes,
      bytesProcessed: usual * 90_000_000,
      filesTotal: usual * 41,
      filesFailed: status === 'Warning' ? 3 : 0,
      exitCode,
      ...(message === null ? {} : { message }),
      detail: {
        snapshot_id: (startedAt * 31 + job).toString(16),
        hostname: host,
        data_added: bytes,
        total_duration: seconds,
      },
    };
  }
}
