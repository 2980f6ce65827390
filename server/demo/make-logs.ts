import type { Ms } from '#contract/ids.ts';
import { makeRng, upTo } from './random.ts';
import type { JobPlan } from './plan.ts';
import type { PlannedRun } from './make-runs.ts';

type Line = readonly [share: number, level: 'Info' | 'Warning' | 'Error', text: string];

/** Returns the log text of a run in the style of its tool, with timestamps inside the run. */
export function makeLog(job: JobPlan, run: PlannedRun): string {
  const lines = LINUX.has(job.source) ? linux(job, run) : windows(job, run);
  const stamp = LINUX.has(job.source) ? isoStamp : dotStamp;
  return lines
    .map(
      ([share, level, text]) =>
        `${stamp(run.startedAt + Math.round((run.endedAt - run.startedAt) * share))} ${level.padEnd(7)} ${text}`,
    )
    .join('\n');
}

const LINUX = new Set([
  'restic',
  'borg',
  'borgmatic',
  'kopia',
  'rclone',
  'bacula',
  'bareos',
  'pbs',
  'api',
]);
const isoStamp = (at: Ms): string => new Date(at).toISOString().slice(0, 19);
const dotStamp = (at: Ms): string => {
  const [date = '', time = ''] = isoStamp(at).split('T');
  return `[${date.split('-').toReversed().join('.')} ${time}]`;
};

const GB = 1e9;
const gb = (bytes: number | null): string =>
  (bytes ?? 0) < GB
    ? `${((bytes ?? 0) / 1e6).toFixed(1)} MB`
    : `${((bytes ?? 0) / GB).toFixed(1)} GB`;
const went = (run: PlannedRun): Line[] =>
  run.message === null ? [] : [[0.94, run.status === 'Warning' ? 'Warning' : 'Error', run.message]];
const ending = ({ status }: PlannedRun): Line => [
  1,
  status === 'Success' ? 'Info' : status === 'Warning' ? 'Warning' : 'Error',
  `Job finished with ${status.toLowerCase()}`,
];

function windows(job: JobPlan, run: PlannedRun): Line[] {
  const random = makeRng(job.seed, run.startedAt, 'log');
  const begun: Line[] = [
    [0, 'Info', `Job started at ${isoStamp(run.startedAt).replace('T', ' ')} UTC`],
    [0.005, 'Info', 'Building list of machines to process'],
    [
      0.01,
      'Info',
      `Size of ${job.objects === 1 ? '1 object' : `${job.objects} objects`}: ${gb(job.size)}`,
    ],
  ];
  if (run.bytes === null) return [...begun, ...went(run), ending(run)];
  const disks = 1 + upTo(random, 3);
  return [
    ...begun,
    [
      0.02,
      'Info',
      `Queued for processing, resource of ${job.server === '' ? job.computer : job.server} assigned`,
    ],
    [0.03, 'Info', "Getting the machine's configuration from the host"],
    [0.05, 'Info', 'Creating snapshot'],
    ...Array.from({ length: disks }, (_, disk): Line => [
      0.1 + (0.7 * disk) / disks,
      'Info',
      `Hard disk ${disk + 1}: ${gb(job.size / disks)}, ${gb((run.bytes ?? 0) / disks)} read at ${upTo(random, 200) + 20} MB/s [CBT]`,
    ]),
    [0.86, 'Info', 'Removing snapshot'],
    [
      0.9,
      'Info',
      `Busy: Source ${20 + upTo(random, 60)}% > Proxy ${10 + upTo(random, 40)}% > Network ${5 + upTo(random, 30)}% > Target ${upTo(random, 40)}%`,
    ],
    ...went(run),
    [0.97, 'Info', 'Applying retention policy'],
    ending(run),
  ];
}

function linux(job: JobPlan, run: PlannedRun): Line[] {
  const random = makeRng(job.seed, run.startedAt, 'log');
  const files = run.files ?? job.files;
  const begun: Line[] = [
    [0, 'Info', `${job.source}: starting ${job.name}`],
    [0.004, 'Info', 'opening repository'],
  ];
  if (run.bytes === null) return [...begun, ...went(run), ending(run)];
  return [
    ...begun,
    [0.01, 'Info', 'repository opened, password is correct'],
    [
      0.02,
      'Info',
      `using parent snapshot ${upTo(random, 0xffff_ffff).toString(16).padStart(8, '0')}`,
    ],
    [0.3, 'Info', `${Math.round(files * 0.34)} files, ${gb((run.processed ?? 0) * 0.3)} read`],
    [0.7, 'Info', `${Math.round(files * 0.71)} files, ${gb((run.processed ?? 0) * 0.72)} read`],
    ...went(run),
    [
      0.98,
      'Info',
      `Files: ${run.detail['filesNew'] ?? 0} new, ${run.detail['filesChanged'] ?? 0} changed, ${files} in all; added ${gb(run.bytes)}, processed ${gb(run.processed)}`,
    ],
    ending(run),
  ];
}
