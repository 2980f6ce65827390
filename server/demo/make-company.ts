import type { KeyId, Ms } from '#contract/ids.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import { between, makeRng, type Rng, mixed, pickOne, upTo, getUuid, weighed } from './random.ts';
import {
  getBytes,
  type Host,
  type Kind,
  getKinds,
  oftenKind,
  roleFor,
  getSpeed,
  systemFor,
  titleFor,
} from './job-kinds.ts';
import type { CompanyName } from './names.ts';
import type { CompanyPlan, JobPlan, KeyPlan, MachinePlan, RepositoryPlan } from './plan.ts';
import { getCron, EVERY_DAY, type When } from './times.ts';

interface Wanted {
  readonly seed: number;
  readonly index: number;
  readonly name: CompanyName;
  readonly jobs: number;
  readonly hourly: number;
  readonly shift: number;
  readonly tz: string;
  readonly bornAt: Ms;
  readonly firstJob: number;
}
type Named = Pick<Wanted, 'seed' | 'index' | 'name'>;
/** Indexes are within the company. Jobs are numbered within the provider. */
export interface MadeCompany {
  readonly company: CompanyPlan;
  readonly keys: KeyPlan[];
  readonly machines: MachinePlan[];
  readonly repositories: RepositoryPlan[];
  readonly jobs: JobPlan[];
}

export function makeCompany(wanted: Wanted): MadeCompany {
  const { seed, index, name, shift } = wanted;
  const random = makeRng(seed, 'company', index);
  const made: MadeCompany = {
    company: {
      id: getUuid(seed, 'company', index),
      name: name.name,
      code: name.code,
      sites: getSites(name, wanted.jobs),
    },
    keys: [],
    machines: [],
    repositories: [],
    jobs: [],
  };
  const repositories = 1 + Math.floor(wanted.jobs / 25);
  const managed = random() < 0.72;
  for (let i = 0; i < wanted.jobs; i += 1) {
    const place = wanted.firstJob + i;
    // Spreads evenly over all jobs of the provider.
    const turn = Math.floor(((place + 1) * wanted.hourly) / 1_000);
    const kind =
      turn > Math.floor((place * wanted.hourly) / 1_000)
        ? oftenKind(turn, shift)
        : weighed(getKinds(name.style), random);
    addJob(
      made,
      wanted,
      kind,
      place,
      managed,
      upTo(random, repositories),
      makeRng(seed, 'job', place),
    );
  }
  for (let i = 0; i < repositories; i += 1)
    made.repositories.push(getRepository(made, wanted, i, random));
  // About one machine in fifteen has no backup.
  const bare = Math.max(index % 3 === 0 ? 1 : 0, Math.round(made.machines.length / 18));
  for (let i = 0; i < bare; i += 1)
    machineFor(made, wanted, pickOne(['desk', 'laptop', 'server'] as const, random), random, true);
  return made;
}

const getSites = (name: CompanyName, jobs: number): string[] =>
  jobs > 40
    ? [name.town, `${name.town} North`, 'DR site']
    : jobs > 15
      ? [name.town, 'Warehouse']
      : [name.town];

function addJob(
  made: MadeCompany,
  wanted: Wanted,
  kind: Kind,
  place: number,
  managed: boolean,
  repository: number,
  random: Rng,
): void {
  const { seed, name, tz } = wanted;
  const [machine, role] = machineFor(made, wanted, kind.host, random, false);
  const host = made.machines[machine]?.name ?? name.code;
  const site = made.machines[machine]?.site ?? name.town;
  const when: When = { ...kind.times(random), tz };
  // If the source declares no schedule, the server learns it from the start times.
  const declared = when.times.length > 1 || when.days !== EVERY_DAY || random() < 0.75;
  const ownServer = `${name.code}-VBR01`;
  const size = getBytes(kind.size, random);
  const change = between(random, ...kind.change);
  made.jobs.push({
    index: place,
    seed: mixed(seed, 'job', place),
    uid: getUuid(seed, 'job', place),
    company: wanted.index,
    machine,
    repository,
    key: keyFor(made, wanted, kind.source, managed),
    name: unique(
      made,
      pickOne(kind.names, random)
        .replace('{host}', host)
        .replace('{role}', titleFor(role, random))
        .replace('{site}', site),
      host,
    ),
    source: kind.source,
    type: kind.type,
    group: kind.group,
    computer: host,
    server:
      SERVED[kind.source] === undefined
        ? ''
        : kind.source === 'vbr'
          ? random() < 0.35
            ? 'CBS-01'
            : ownServer
          : (SERVED[kind.source] ?? ''),
    managed: kind.group === 'monitored-agents' ? false : managed,
    when,
    schedule: !declared
      ? null
      : when.times.length === 1 || when.times.length === 24 || random() < 0.5
        ? { type: 'cron', cron: getCron(when), tz }
        : { type: 'every', everySec: 86_400 / when.times.length },
    graceSec: random() < 0.12 ? 7_200 : null,
    habit: { kind: 'steady' },
    frailty: random() < 0.1 ? between(random, 0.25, 0.5) : between(random, 0.02, 0.1),
    size,
    growth: between(random, 0.0002, 0.004),
    moves: kind.moves,
    change,
    bytesPerSec: getSpeed(kind.speed, random),
    files: Math.round((size / 1e6) * between(random, 0.3, 2)),
    objects: kind.host === 'vm' && kind.type === 'Backup' ? 1 + upTo(random, 8) : 1,
  });
}

/** Tools that run on a server of their own. */
const SERVED: Partial<Record<Source, string>> = {
  vbr: 'own',
  vac: 'VSPC-01',
  vcd: 'VCD-CELL-01',
  zerto: 'ZVM-01',
  pbs: 'pbs-01',
  bacula: 'bacula-dir',
  bareos: 'bareos-dir',
  urbackup: 'urbackup-01',
  office365: 'VB365-01',
};

function unique(made: MadeCompany, name: string, host: string): string {
  if (made.jobs.every((job) => job.name !== name)) return name;
  const fuller = name.includes(host) ? name : `${name} ${host}`;
  for (let n = 1; ; n += 1) {
    const next = n === 1 ? fuller : `${fuller} ${n}`;
    if (made.jobs.every((job) => job.name !== next)) return next;
  }
}

/** Returns the index and the role of a machine of the kind. Often reuses an existing machine. */
function machineFor(
  made: MadeCompany,
  { index, name, seed }: Named,
  host: Host,
  random: Rng,
  bare: boolean,
): readonly [place: number, role: string] {
  const role = roleFor(host, random);
  const prefix = host === 'linux' ? `${name.code.toLowerCase()}-${role}` : `${name.code}-${role}`;
  const known = made.machines
    .map((one, place) => ({ one, place }))
    .filter(({ one }) => one.name.startsWith(prefix));
  const reused =
    host === 'laptop' || host === 'desk' || bare ? undefined : known[upTo(random, known.length)];
  if (reused && (host === 'cloud' || random() < 0.45)) return [reused.place, role];
  const number = known.length + 1;
  const where = made.company.sites;
  made.machines.push({
    company: index,
    key: keyFor(
      made,
      { index, name, seed },
      host === 'linux' ? 'restic' : host === 'cloud' ? 'office365' : 'vbr',
      true,
    ),
    name:
      host === 'cloud'
        ? prefix
        : `${prefix}${String(number).padStart(host === 'laptop' ? 3 : 2, '0')}`,
    site: where[upTo(random, where.length)] ?? name.town,
    os: systemFor(host, random),
    osType: host === 'laptop' || host === 'desk' ? 'Workstation' : 'Server',
    ip: `10.${20 + (index % 200)}.${upTo(random, 6)}.${10 + (made.machines.length % 240)}`,
    habit:
      host === 'laptop' && random() < 0.5
        ? 'away'
        : host === 'server' && random() < 0.12
          ? 'vss'
          : 'steady',
    bare,
  });
  return [made.machines.length - 1, role];
}

const FAMILIES: readonly {
  readonly tool: Source;
  readonly label: string;
  readonly sources: readonly Source[];
}[] = [
  { tool: 'vbr', label: 'Veeam', sources: ['vbr', 'vac', 'vcd'] },
  { tool: 'office365', label: 'Microsoft 365', sources: ['office365'] },
  {
    tool: 'restic',
    label: 'Linux and scripts',
    sources: ['restic', 'borg', 'borgmatic', 'kopia', 'rclone', 'api', 'pbs', 'bacula', 'bareos'],
  },
  { tool: 'duplicati', label: 'Workstations', sources: ['duplicati', 'urbackup', 'zerto'] },
];

function keyFor(
  made: MadeCompany,
  { seed, index, name }: Named,
  source: Source,
  managed: boolean,
): number {
  const family = FAMILIES.find((one) => one.sources.includes(source));
  const [tool, label] = family ? [family.tool, family.label] : [source, source];
  const known = made.keys.findIndex((key) => key.tool === tool);
  if (known >= 0) return known;
  return (
    made.keys.push({
      id: getUuid(seed, 'key', index, tool) as KeyId,
      name: `${name.name} - ${label}`,
      company: index,
      tool,
      managed,
    }) - 1
  );
}

function getRepository(
  made: MadeCompany,
  { index, name, seed }: Wanted,
  i: number,
  random: Rng,
): RepositoryPlan {
  const shape = SHAPES[upTo(random, SHAPES.length)] ?? SHAPES[0];
  const host = `${name.code}-${shape.host}${String(i + 1).padStart(2, '0')}`;
  const own = made.jobs
    .filter((job) => job.repository === i)
    .reduce((sum, job) => sum + job.size, 0);
  const used = between(random, 0.34, 0.82);
  return {
    company: index,
    key: keyFor(made, { seed, index, name }, 'vbr', true),
    uid: getUuid(seed, 'repository', index, i),
    name: `${name.code} ${shape.name} ${i + 1}`,
    type: shape.type,
    hostName: host,
    path: shape.path,
    capacity: Math.max(2e12, Math.round((own * 1.9) / used / 1e12) * 1e12),
    used,
    gain: between(random, 0.0003, 0.0028),
  };
}

const SHAPES = [
  { name: 'Backup Repository', host: 'REPO', type: 'Windows server', path: 'D:\\Backups' },
  { name: 'NAS Repository', host: 'NAS', type: 'SMB share', path: '\\\\nas\\backup' },
  { name: 'Hardened Repository', host: 'HARD', type: 'Linux hardened', path: '/mnt/backup' },
  { name: 'Object Storage', host: 'S3', type: 'S3 compatible', path: 'backup/daily' },
] as const;
