import type { Bytes } from '#contract/ids.ts';
import type { EntityGroup, JobType, Source } from '#contract/runs/vocabulary.ts';
import { between, type Rng, pickOne, upTo } from './random.ts';
import type { Style } from './names.ts';
import { EVERY_DAY, everyMinutes, SATURDAY, SUNDAY, type When, WORKDAYS } from './times.ts';

export type Host = 'vm' | 'server' | 'linux' | 'laptop' | 'desk' | 'cloud' | 'nas';
type Times = Pick<When, 'times' | 'days'>;

/** A kind of job: its name, schedule and size. Sizes in GB (10⁹ bytes), `speed` in MB/s. */
export interface Kind {
  readonly weight: number;
  readonly source: Source;
  readonly type: JobType;
  readonly group: EntityGroup;
  readonly host: Host;
  readonly names: readonly [string, ...string[]];
  readonly times: (random: Rng) => Times;
  readonly size: readonly [low: number, high: number];
  readonly change: readonly [low: number, high: number];
  readonly speed: readonly [low: number, high: number];
  readonly moves: 'all' | 'changes';
}

const GB: Bytes = 1e9;
export const getBytes = ([low, high]: readonly [number, number], random: Rng): Bytes =>
  Math.round(low * GB * (high / low) ** random());

/** At one time within a window, in minutes of the day. The window may pass midnight. */
const once =
  (from: number, to: number, days = EVERY_DAY) =>
  (random: Rng): Times => {
    const minute =
      from + upTo(random, (to - from) / 5) * 5 + (random() < 0.5 ? 0 : upTo(random, 5));
    return { times: [minute % 1_440], days };
  };
const often =
  (step: number) =>
  (random: Rng): Times => ({ times: everyMinutes(step, upTo(random, step)), days: EVERY_DAY });
const [NOON, EVENING, NIGHT] = [
  once(680, 880, WORKDAYS),
  once(1_080, 1_320),
  once(1_200, 1_740),
] as const;

type Kinds = readonly (Kind & { readonly styles: Readonly<Record<Style, number>> })[];
const styles = (
  windows: number,
  mixed: number,
  linux: number,
  cloud: number,
): { readonly styles: Readonly<Record<Style, number>> } => ({
  styles: { windows, mixed, linux, cloud },
});
const kind = (
  source: Source,
  type: JobType,
  group: EntityGroup,
  host: Host,
): Pick<Kind, 'source' | 'type' | 'group' | 'host' | 'weight' | 'moves'> => ({
  source,
  type,
  group,
  host,
  weight: 1,
  moves: 'changes',
});

/** Names may contain `{host}`, `{role}` and `{site}`. */
const KINDS: Kinds = [
  {
    ...kind('vbr', 'Backup', 'managed-servers', 'vm'),
    ...styles(32, 20, 4, 6),
    names: ['{site} VMs - {role}', 'Daily {role} {host}', '{role} Production {host}'],
    times: NIGHT,
    size: [60, 1_400],
    change: [0.01, 0.05],
    speed: [60, 240],
  },
  {
    ...kind('vbr', 'BackupCopy', 'managed-servers', 'vm'),
    ...styles(9, 6, 0, 1),
    names: ['Offsite copy {role} {host}', '{site} copy to cloud - {host}'],
    times: once(120, 900),
    size: [60, 1_200],
    change: [0.01, 0.04],
    speed: [3, 20],
  },
  {
    ...kind('vbr', 'ObjectStorage', 'managed-servers', 'nas'),
    ...styles(2, 2, 1, 2),
    names: ['Offload {host} to object storage', 'Capacity tier {site} {host}'],
    times: often(240),
    size: [200, 900],
    change: [0.002, 0.004],
    speed: [0.5, 0.9],
  },
  {
    ...kind('vbr', 'Archive', 'managed-servers', 'vm'),
    ...styles(4, 2, 0, 1),
    moves: 'all',
    names: ['Weekly full {host}', 'Archive {role} {host}'],
    times: once(300, 960, SATURDAY),
    size: [80, 900],
    change: [1, 1],
    speed: [60, 220],
  },
  {
    ...kind('vbr', 'SureBackup', 'managed-servers', 'vm'),
    ...styles(3, 1, 0, 0),
    names: ['Restore test {host}'],
    times: once(540, 900, SUNDAY),
    size: [40, 400],
    change: [0.001, 0.002],
    speed: [30, 90],
  },
  {
    ...kind('vbr', 'FileShare', 'file-share-jobs', 'nas'),
    ...styles(4, 3, 1, 1),
    names: ['{site} file share {host}', 'NAS {host} departments'],
    times: NIGHT,
    size: [200, 6_000],
    change: [0.002, 0.01],
    speed: [30, 120],
  },
  {
    ...kind('vbr', 'Replication', 'managed-servers', 'vm'),
    ...styles(2, 1, 0, 0),
    names: ['Replica {host} to DR'],
    times: often(240),
    size: [40, 300],
    change: [0.002, 0.006],
    speed: [25, 90],
  },
  {
    ...kind('zerto', 'Replication', 'managed-servers', 'vm'),
    ...styles(1, 1, 0, 1),
    names: ['VPG {role} {host}'],
    times: often(360),
    size: [60, 500],
    change: [0.001, 0.004],
    speed: [20, 80],
  },
  {
    ...kind('vac', 'Agent', 'managed-agents', 'server'),
    ...styles(10, 8, 0, 8),
    names: ['{host} - Entire computer', 'Server agent {host} daily'],
    times: NIGHT,
    size: [60, 700],
    change: [0.01, 0.05],
    speed: [25, 110],
  },
  {
    ...kind('vac', 'Agent', 'monitored-agents', 'laptop'),
    ...styles(13, 10, 2, 14),
    names: ['Workstation {host} - Personal files', '{host} - Entire computer'],
    times: NOON,
    size: [20, 300],
    change: [0.005, 0.03],
    speed: [6, 40],
  },
  {
    ...kind('duplicati', 'Backup', 'monitored-agents', 'desk'),
    ...styles(3, 4, 3, 6),
    names: ['{host} documents', 'Accounts {host}'],
    times: once(1_020, 1_110, WORKDAYS),
    size: [2, 60],
    change: [0.005, 0.03],
    speed: [2, 12],
  },
  {
    ...kind('office365', 'M365', 'office365', 'cloud'),
    ...styles(4, 4, 3, 20),
    names: ['Microsoft 365 {role}', '{role} and archive'],
    times: EVENING,
    size: [40, 900],
    change: [0.002, 0.008],
    speed: [4, 18],
  },
  {
    ...kind('office365', 'M365', 'office365', 'cloud'),
    ...styles(1, 1, 0, 5),
    names: ['{role} every 8 hours'],
    times: often(480),
    size: [40, 500],
    change: [0.001, 0.004],
    speed: [4, 18],
  },
  {
    ...kind('vcd', 'Backup', 'public-cloud-vms', 'vm'),
    ...styles(2, 2, 0, 8),
    names: ['vApp {role} {host}', 'Cloud VM {host}'],
    times: NIGHT,
    size: [30, 400],
    change: [0.01, 0.04],
    speed: [40, 120],
  },
  {
    ...kind('restic', 'Snapshot', 'managed-agents', 'linux'),
    ...styles(2, 9, 28, 4),
    names: ['restic {host} /srv', 'restic {host} system', 'snapshot of {host}'],
    times: once(1_260, 1_800),
    size: [5, 400],
    change: [0.005, 0.04],
    speed: [15, 90],
  },
  {
    ...kind('borgmatic', 'Backup', 'managed-agents', 'linux'),
    ...styles(0, 4, 16, 2),
    names: ['borgmatic {host}', 'borgmatic {host} home'],
    times: once(1_380, 1_740),
    size: [5, 600],
    change: [0.003, 0.03],
    speed: [12, 70],
  },
  {
    ...kind('borg', 'Backup', 'managed-agents', 'linux'),
    ...styles(0, 2, 8, 0),
    names: ['borg {host} data'],
    times: NIGHT,
    size: [10, 900],
    change: [0.002, 0.02],
    speed: [12, 80],
  },
  {
    ...kind('kopia', 'Snapshot', 'managed-agents', 'linux'),
    ...styles(0, 2, 6, 1),
    names: ['kopia {host} projects'],
    times: EVENING,
    size: [8, 300],
    change: [0.005, 0.03],
    speed: [12, 60],
  },
  {
    ...kind('rclone', 'Sync', 'file-share-jobs', 'nas'),
    ...styles(3, 4, 7, 5),
    names: ['Sync {host} to object storage', 'Cloud drive {site} to {host}'],
    times: NIGHT,
    size: [20, 1_200],
    change: [0.002, 0.01],
    speed: [6, 40],
  },
  {
    ...kind('bacula', 'Tape', 'managed-servers', 'linux'),
    ...styles(2, 2, 4, 0),
    moves: 'all',
    names: ['Tape {site} weekly {host}'],
    times: once(60, 480, SATURDAY),
    size: [300, 3_000],
    change: [1, 1],
    speed: [90, 180],
  },
  {
    ...kind('bareos', 'Backup', 'managed-servers', 'linux'),
    ...styles(0, 1, 4, 0),
    names: ['bareos {host} incremental'],
    times: NIGHT,
    size: [20, 600],
    change: [0.005, 0.03],
    speed: [20, 90],
  },
  {
    ...kind('pbs', 'Backup', 'managed-servers', 'vm'),
    ...styles(0, 6, 8, 1),
    names: ['Proxmox {host}', 'VM {host} to PBS'],
    times: NIGHT,
    size: [20, 500],
    change: [0.01, 0.05],
    speed: [40, 160],
  },
  {
    ...kind('urbackup', 'Agent', 'monitored-agents', 'desk'),
    ...styles(1, 4, 1, 1),
    names: ['UrBackup image {host}', 'UrBackup files {host}'],
    times: once(1_090, 1_310, WORKDAYS),
    size: [20, 260],
    change: [0.01, 0.04],
    speed: [8, 40],
  },
  {
    ...kind('api', 'Other', 'other', 'linux'),
    ...styles(1, 3, 6, 1),
    moves: 'all',
    names: ['Database dump {host}', 'Nightly export {host}'],
    times: once(0, 240),
    size: [0.4, 30],
    change: [1, 1],
    speed: [20, 90],
  },
];

const HALF_HOURLY: Kind = {
  ...kind('vbr', 'LogBackup', 'managed-servers', 'server'),
  names: ['SQL log backup {host} every 30 min'],
  times: often(30),
  size: [40, 400],
  change: [0.0001, 0.0006],
  speed: [20, 60],
};
const HOURLY: Kind = {
  ...kind('vbr', 'LogBackup', 'managed-servers', 'server'),
  names: ['SQL log backup {host}', 'Transaction logs {host} hourly'],
  times: often(60),
  size: [40, 600],
  change: [0.0002, 0.0012],
  speed: [20, 60],
};

const BY_STYLE = new Map<Style, readonly [Kind, ...Kind[]]>(
  (['windows', 'mixed', 'linux', 'cloud'] as const).map((style) => {
    const [first, ...rest] = KINDS.filter((one) => one.styles[style] > 0).map((one): Kind => ({
      ...one,
      weight: one.styles[style],
    }));
    if (first === undefined) throw new Error(`No kind of job for ${style}.`);
    return [style, [first, ...rest]];
  }),
);

export const getKinds = (style: Style): readonly [Kind, ...Kind[]] =>
  BY_STYLE.get(style) ?? [HOURLY];
/**
 * Every second of the frequent jobs runs every half hour. `shift` spreads their start minutes and
 * those of different providers.
 */
export function oftenKind(turn: number, shift: number): Kind {
  const pair = turn >> 1;
  return turn % 2 === 0
    ? {
        ...HALF_HOURLY,
        times: () => ({ times: everyMinutes(30, (pair * 5 + shift) % 30), days: EVERY_DAY }),
      }
    : {
        ...HOURLY,
        times: () => ({ times: everyMinutes(60, (pair * 10 + 2 + shift) % 60), days: EVERY_DAY }),
      };
}

const ROLES = {
  vm: ['DC', 'SQL', 'FS', 'APP', 'EX', 'RDS', 'ERP', 'WEB', 'PRN'],
  server: ['SQL', 'HV', 'APP', 'FS'],
  linux: ['web', 'db', 'git', 'mail', 'mon', 'ns', 'app'],
  laptop: ['LT'],
  desk: ['WS'],
  nas: ['NAS'],
  cloud: ['M365'],
} as const satisfies Record<Host, readonly [string, ...string[]]>;
const TITLES: Readonly<Record<string, string>> = {
  DC: 'Domain controllers',
  SQL: 'SQL',
  FS: 'File servers',
  APP: 'Application servers',
  EX: 'Exchange',
  RDS: 'Terminal servers',
  ERP: 'ERP',
  WEB: 'Web',
  PRN: 'Print',
};
export const roleFor = (host: Host, random: Rng): string => pickOne(ROLES[host], random);
export const titleFor = (role: string, random: Rng): string =>
  role === 'M365'
    ? pickOne(['Exchange Online', 'SharePoint', 'OneDrive', 'Teams'], random)
    : (TITLES[role] ?? role);

const SYSTEMS: Readonly<Record<Host, readonly [string, ...string[]]>> = {
  vm: ['Windows Server 2022', 'Windows Server 2019', 'Windows Server 2016', 'Ubuntu 22.04'],
  server: ['Windows Server 2022', 'Windows Server 2019'],
  linux: ['Debian 12', 'Ubuntu 24.04', 'Ubuntu 22.04', 'Rocky Linux 9', 'AlmaLinux 8'],
  laptop: ['Windows 11 Pro', 'Windows 11 Pro', 'Windows 10 Pro'],
  desk: ['Windows 11 Pro', 'Windows 10 Pro'],
  nas: ['Synology DSM 7', 'TrueNAS 13'],
  cloud: ['Microsoft 365'],
};
export const systemFor = (host: Host, random: Rng): string => pickOne(SYSTEMS[host], random);

export const getSpeed = ([low, high]: readonly [number, number], random: Rng): number =>
  Math.round(between(random, low, high) * 1e6);
