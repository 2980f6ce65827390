import type { Ms } from '#contract/ids.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import { type Rng, upTo } from './random.ts';
import { personIn } from './names.ts';
import type { JobPlan, MachineHabit, RepositoryPlan } from './plan.ts';

export interface Context {
  readonly job: JobPlan;
  readonly at: Ms;
  readonly random: Rng;
  readonly bornAt: Ms;
  readonly habit: MachineHabit;
  readonly ip: string;
  readonly repository: RepositoryPlan | null;
  /** How full the job's repository is, 0 to 1. */
  readonly full: number;
}

/** A failure, in the words of the tool. `went`: how far the run got, 0 to 1. */
export interface DemoFailure {
  readonly kind: FailureCause;
  readonly status: 'Warning' | 'Failed' | 'Error';
  readonly went: number;
  readonly exitCode: number | null;
  readonly describe: (context: Context) => string;
}
export type FailureCause =
  | 'connection'
  | 'space'
  | 'low'
  | 'snapshot'
  | 'access'
  | 'locked'
  | 'partial'
  | 'integrity'
  | 'cancelled'
  | 'server';

const warning = (
  kind: FailureCause,
  describe: DemoFailure['describe'],
  exitCode: number | null = null,
): DemoFailure => ({
  kind,
  status: 'Warning',
  went: 1,
  exitCode,
  describe,
});
const failed = (
  kind: FailureCause,
  went: number,
  describe: DemoFailure['describe'],
  exitCode: number | null = null,
): DemoFailure => ({ kind, status: 'Failed', went, exitCode, describe });
const error = (
  kind: FailureCause,
  went: number,
  describe: DemoFailure['describe'],
  exitCode: number | null = null,
): DemoFailure => ({ kind, status: 'Error', went, exitCode, describe });

const hex = (random: Rng, chars: number): string =>
  Array.from({ length: chars }, () => upTo(random, 16).toString(16)).join('');
const repo = ({ repository }: Context): string => repository?.hostName ?? 'REPO01';

export const SERVER_DOWN = failed(
  'server',
  0,
  ({ job }) =>
    `Error: Backup repository server ${job.server} is unreachable: no connection could be made because the target machine actively refused it 10.20.0.12:6162`,
);
export const LOW = warning(
  'low',
  (context) =>
    `Low free disk space on backup repository ${repo(context)}: ${((1 - context.full) * 100).toFixed(1)}% left`,
);
export const FULL = failed(
  'space',
  0.4,
  (context) =>
    `Error: There is not enough space on the disk. Failed to write data to the backup file on ${repo(context)}`,
  1,
);

const VEEAM: readonly DemoFailure[] = [
  failed(
    'snapshot',
    0.02,
    ({ job }) =>
      `Processing ${job.computer} Error: Failed to create VM recovery checkpoint (mode: Veeam application-aware processing) Details: Job failed ('Checkpoint operation for '${job.computer}' failed.'). Error code: '32768'.`,
  ),
  failed(
    'connection',
    0,
    ({ job, ip }) =>
      `Processing ${job.computer} Error: The RPC server is unavailable. RPC function call failed. Function name: [GetSvcVersion]. Target machine: [${ip}].`,
  ),
  warning(
    'partial',
    ({ job }) =>
      `Processing ${job.computer} Warning: Failed to truncate Microsoft SQL Server transaction logs. Details: Failed to process 'TruncateSQLLog' command.`,
  ),
  failed(
    'connection',
    0.3,
    ({ job, ip }) =>
      `Processing ${job.computer} Error: An existing connection was forcibly closed by the remote host. Failed to upload disk. Agent failed to process method {DataTransfer.SyncDisk}. Host ${ip}`,
  ),
  warning(
    'snapshot',
    ({ job }) =>
      `Processing ${job.computer} Warning: Unable to use changed block tracking: cannot get the changed area, a full read of the disk was done`,
  ),
  failed(
    'access',
    0,
    ({ job }) =>
      `Processing ${job.computer} Error: Guest agent: access is denied. Logon failure: the user name or password is incorrect. Code: 1326`,
  ),
  failed(
    'locked',
    0,
    (context) =>
      `Error: The process cannot access the file because it is being used by another process. Failed to open storage file on ${repo(context)}`,
  ),
  failed(
    'space',
    0.5,
    (context) =>
      `Error: There is not enough space on the disk. Failed to write data to the backup file on ${repo(context)}`,
  ),
  failed('cancelled', 0.2, ({ random }) => `Operation was canceled by user ${personIn(random)}`),
  failed(
    'integrity',
    0.7,
    ({ random }) =>
      `Error: Failed to decompress LZ4 block: Bad crc (original crc: ${hex(random, 8)}, current crc: ${hex(random, 8)}). Backup file is corrupted`,
  ),
];
const AGENT: readonly DemoFailure[] = [
  failed(
    'connection',
    0,
    () =>
      'Error: Backup location is not available: the network path was not found. Check that the shared folder can be reached',
  ),
  failed(
    'snapshot',
    0.01,
    ({ random }) =>
      `Error: VSSControl: Failed to prepare volumes for snapshot. A VSS writer has rejected an event with error 0x800423f2 after ${60 + upTo(random, 120)} seconds. Writer name: [SqlServerWriter]`,
  ),
  warning(
    'partial',
    ({ random }) =>
      `Some files were skipped: C:\\Users\\${personIn(random)}\\AppData\\Local\\Temp\\${hex(random, 6)}.tmp: the file is open and could not be read`,
  ),
  failed(
    'connection',
    0.25,
    ({ ip }) =>
      `Error: Client error: A connection attempt failed because the connected party did not properly respond after a period of time ${ip}:10005`,
  ),
  failed(
    'space',
    0.6,
    () => 'Error: Quota exceeded: the cloud repository quota of this tenant is full',
  ),
  failed(
    'access',
    0,
    () =>
      'Error: Failed to authenticate with the backup server. Certificate of the agent has expired',
  ),
  failed(
    'cancelled',
    0.3,
    () => 'Job was stopped by the computer going to sleep: the operation was cancelled',
  ),
];
const BORG: readonly DemoFailure[] = [
  failed(
    'locked',
    0,
    ({ job }) =>
      `Failed to create/acquire the lock /srv/borg/${job.computer}/lock.exclusive (timeout).`,
    2,
  ),
  warning(
    'partial',
    ({ random }) =>
      `/var/lib/docker/volumes/${hex(random, 12)}/_data/db.sqlite: file changed while we backed it up`,
    1,
  ),
  failed(
    'connection',
    0,
    () => 'Connection closed by remote host. Is borg working on the server?',
    2,
  ),
  warning(
    'access',
    ({ random }) => `/home/${personIn(random)}/.ssh/id_ed25519: open: [Errno 13] Permission denied`,
    1,
  ),
  failed(
    'space',
    0.6,
    ({ random }) =>
      `Remote: OSError: [Errno 28] No space left on device: '/srv/borg/data/${upTo(random, 90)}/${upTo(random, 9_000)}'`,
    2,
  ),
  failed(
    'integrity',
    0.4,
    ({ random }) =>
      `Data integrity error: Segment entry checksum mismatch [segment ${upTo(random, 9_000)}, offset ${upTo(random, 500_000_000)}]`,
    2,
  ),
];

/** By tool, most frequent first. */
export const TROUBLES: Partial<Readonly<Record<Source, readonly DemoFailure[]>>> = {
  vbr: VEEAM,
  vcd: VEEAM,
  vac: AGENT,
  borg: BORG,
  borgmatic: BORG,
  office365: [
    warning(
      'partial',
      ({ random }) =>
        `Processing mailbox ${personIn(random)}@example.com finished with warning: Mailbox is not found in Exchange Online`,
    ),
    failed(
      'connection',
      0.4,
      ({ random }) =>
        `Failed to process site: https://tenant.sharepoint.example.com/sites/team-${upTo(random, 90)}. The remote server returned an error: (503) Server Unavailable`,
    ),
    warning(
      'partial',
      () => 'Cannot change web part export mode to All: some web parts were skipped',
    ),
    failed(
      'access',
      0,
      ({ random }) =>
        `AADSTS7000222: The provided client secret keys for app '${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}' are expired.`,
    ),
    failed(
      'connection',
      0.2,
      ({ random }) =>
        `Failed to get folders of mailbox ${personIn(random)}@example.com. The request was throttled: (429) Too Many Requests`,
    ),
  ],
  zerto: [
    warning(
      'connection',
      ({ random }) =>
        `VPG is not meeting its RPO target: network throughput is too low, actual RPO ${600 + upTo(random, 2_000)} seconds`,
    ),
    error(
      'connection',
      0,
      ({ ip }) => `Site disconnected: connection to the peer site was lost ${ip}:9071`,
    ),
    error(
      'space',
      0.3,
      () => 'Journal storage is full: not enough space on the recovery datastore',
    ),
  ],
  restic: [
    failed(
      'locked',
      0,
      ({ job, random }) =>
        `unable to create lock in backend: repository is already locked by PID ${1_000 + upTo(random, 30_000)} on ${job.computer} by root (UID 0, GID 0)`,
      11,
    ),
    warning(
      'partial',
      ({ random }) =>
        `error: open /home/${personIn(random)}/.cache/${hex(random, 8)}: permission denied`,
      3,
    ),
    failed(
      'connection',
      0,
      (context) =>
        `Fatal: unable to open repository at sftp:backup@${repo(context).toLowerCase()}:/srv/restic: dial tcp 10.20.1.${upTo(context.random, 200)}:22: connect: connection refused`,
      1,
    ),
    failed(
      'connection',
      0.3,
      ({ random }) =>
        `Fatal: unable to save snapshot: Save(<data/${hex(random, 10)}>) failed: client.PutObject: net/http: TLS handshake timeout`,
      1,
    ),
    failed(
      'space',
      0.7,
      ({ random }) =>
        `Fatal: write /mnt/backup/restic/data/${hex(random, 2)}/${hex(random, 10)}: no space left on device`,
      1,
    ),
    failed(
      'integrity',
      0.5,
      ({ random }) =>
        `Fatal: pack ${hex(random, 10)} failed to download: ciphertext verification failed`,
      1,
    ),
    failed('access', 0, () => 'Fatal: wrong password or no key found', 12),
  ],
  kopia: [
    failed(
      'connection',
      0,
      ({ random }) =>
        `unable to open repository: unable to get repository storage: error connecting to SFTP server: dial tcp 10.20.2.${upTo(random, 200)}:22: i/o timeout`,
      1,
    ),
    warning(
      'partial',
      ({ random }) =>
        `ignored error when processing projects/${hex(random, 6)}: lstat: no such file or directory`,
      0,
    ),
    failed('access', 0, () => 'unable to open repository: invalid repository password', 1),
  ],
  rclone: [
    failed(
      'connection',
      0.5,
      ({ random }) =>
        `Failed to copy: Put https://s3.example.com/backup/${hex(random, 8)}: dial tcp: lookup s3.example.com: i/o timeout`,
      1,
    ),
    failed(
      'access',
      0.2,
      () => 'Failed to sync: googleapi: Error 403: User rate limit exceeded, userRateLimitExceeded',
      1,
    ),
    failed(
      'partial',
      0.9,
      ({ random }) =>
        `can't copy - source file is being updated (size changed from ${upTo(random, 900_000)} to ${upTo(random, 900_000)})`,
      1,
    ),
    failed(
      'access',
      0,
      () =>
        'Failed to create file system for "remote:": couldn\'t fetch token: invalid_grant: token expired',
      1,
    ),
  ],
  bacula: [
    failed(
      'connection',
      0,
      ({ job }) =>
        `Fatal error: Unable to connect to Client: ${job.computer}-fd on ${job.computer}:9102. ERR=No route to host`,
    ),
    failed(
      'space',
      0.4,
      ({ random }) =>
        `Fatal error: Job ${upTo(random, 9_000)}: Job canceled because max run time or tape capacity exceeded: no space left in pool Weekly`,
    ),
    warning(
      'partial',
      ({ random }) => `Could not stat /srv/data/${hex(random, 6)}: ERR=No such file or directory`,
    ),
  ],
  bareos: [
    failed(
      'connection',
      0,
      ({ job }) =>
        `Fatal error: Failed to connect to Client ${job.computer}-fd on ${job.computer}:9102. ERR=Connection timed out`,
    ),
    warning(
      'partial',
      ({ random }) => `Cannot open /srv/data/${hex(random, 6)}: ERR=Permission denied.`,
    ),
  ],
  duplicati: [
    warning(
      'partial',
      ({ random }) =>
        `Warning while processing: The process cannot access the file C:\\Users\\${personIn(random)}\\Documents\\accounts.xlsx because it is being used by another process`,
    ),
    error(
      'connection',
      0,
      () => 'The operation has timed out: failed to list files on the remote destination',
    ),
    error(
      'access',
      0,
      () =>
        'The remote server returned an error: (401) Unauthorized. Log in to the cloud storage again',
    ),
    error(
      'integrity',
      0.2,
      ({ random }) =>
        `Found ${1 + upTo(random, 6)} files that are missing from the remote storage, please run repair`,
    ),
  ],
  pbs: [
    failed(
      'snapshot',
      0,
      ({ random }) => `VM ${100 + upTo(random, 90)} qmp command 'backup' failed - got timeout`,
    ),
    failed(
      'connection',
      0.1,
      ({ random }) =>
        `backup write data failed: command error: write_data upload error: pipelined request failed: connection to 10.20.3.${upTo(random, 200)}:8007 reset by peer`,
    ),
    failed(
      'locked',
      0,
      ({ random }) =>
        `can't lock file '/var/lock/qemu-server/lock-${100 + upTo(random, 90)}.conf' - got timeout`,
    ),
    warning(
      'partial',
      ({ random }) =>
        `verification of snapshot vm/${100 + upTo(random, 90)} was skipped: chunk is being verified by another job`,
    ),
  ],
  urbackup: [
    error(
      'connection',
      0.4,
      () => 'Backing up image failed because of disconnect: client went offline while backing up',
    ),
    error(
      'snapshot',
      0,
      () => 'Creating shadow copy of "C:" failed: VSS service is in a bad state',
    ),
  ],
  api: [
    failed(
      'connection',
      0.2,
      ({ random }) =>
        `mysqldump: Error 2013: Lost connection to MySQL server during query when dumping table \`orders_${upTo(random, 40)}\` at row: ${upTo(random, 900_000)}`,
      3,
    ),
    failed(
      'space',
      0.5,
      ({ random }) =>
        `pg_dump: error: could not write to output file /var/backups/${hex(random, 6)}.dump: No space left on device`,
      1,
    ),
    failed(
      'access',
      0,
      () =>
        'pg_dump: error: connection to server failed: FATAL: password authentication failed for user "backup"',
      1,
    ),
  ],
};
