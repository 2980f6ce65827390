/** A log as the version before wrote it: every event type that has another name today. */
export interface FormerEvent {
  readonly entity: string;
  readonly company: number | null;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const COMPANY = '10000000-0000-4000-8000-000000000001';
export const USER = '20000000-0000-4000-8000-000000000001';
const KEY = '30000000-0000-4000-8000-000000000001';
const RULE = '40000000-0000-4000-8000-000000000001';
const HINT = '50000000-0000-4000-8000-000000000001';
const VIEW = '60000000-0000-4000-8000-000000000001';
const TICKET = '70000000-0000-4000-8000-000000000001';
const SHIFT = '80000000-0000-4000-8000-000000000001';
const BACKUP_JOB = '90000000-0000-4000-8000-000000000001';
const ORGANIZATION = '90000000-0000-4000-8000-000000000002';
const REPOSITORY = '90000000-0000-4000-8000-000000000003';
const START = 1_790_000_000_000;

const JOB = {
  name: 'Nightly',
  source: 'restic',
  type: 'Backup',
  group: 'other',
  computer: 'pc',
  server: '',
  managed: null,
  enabled: true,
  schedule: null,
  graceSec: null,
};
const WHEN_TODAY = {
  sources: [],
  types: [],
  states: ['Failed'],
  companies: [],
  job: '',
  computer: '',
  text: '',
  duration: { min: 5, max: null },
  bytes: { min: null, max: null },
  streak: { min: null, max: null },
  time: null,
};
const RULE_FIELDS = {
  name: 'Known warnings',
  enabled: true,
  from: null,
  to: null,
  when: {
    sources: [],
    types: [],
    states: ['Failed'],
    companies: [],
    job: '',
    computer: '',
    text: '',
    duration: { least: 5, most: null },
    bytes: { least: null, most: null },
    streak: { least: null, most: null },
    time: null,
  },
  does: {
    exception: false,
    snoozeHours: null,
    note: null,
    ticket: 'T-1',
    hint: 'Free some space.',
    notify: [],
  },
};
const HINT_FIELDS = {
  name: 'Disk full',
  when: { text: 'disk full', kinds: [], sources: [] },
  says: 'The disk is full.',
  steps: [],
  links: [],
  inside: false,
};

export const FORMER_LOG: readonly FormerEvent[] = [
  provider('company:1', 'company.made@1', { n: 1, id: COMPANY, name: 'Acme' }),
  provider('company:1', 'company.changed@1', {
    n: 1,
    name: 'Acme Ltd',
    applications: {
      vac: { id: null },
      vcd: { id: null },
      zerto: { id: null },
      office365: { enabled: false, organizations: [] },
    },
    veeamId: 'v-1',
    notify: [USER],
  }),
  provider(`user:${USER}`, 'user.made@1', { id: USER, roles: ['operator'], companies: null }),
  provider(`user:${USER}`, 'user.changed@1', { id: USER, fields: ['firstName'] }),
  provider(`user:${USER}`, 'user.preferred@1', { id: USER, name: 'density', value: '"compact"' }),
  acme(`key:${KEY}`, 'key.made@1', {
    id: KEY,
    name: 'restic',
    company: 1,
    tool: 'restic',
    managed: null,
    hint: 'abcd',
  }),
  acme(`key:${KEY}`, 'key.heard@1', { id: KEY }),
  acme('job:1', 'job.found@1', {
    n: 1,
    uid: 'job-1',
    key: KEY,
    company: 1,
    ...JOB,
    schedule: { is: 'every', everySec: 3_600, kind: 'Periodically' },
  }),
  acme('job:1', 'job.changed@1', {
    n: 1,
    ...JOB,
    name: 'Nightly to the cloud',
    schedule: { is: 'cron', cron: '0 2 * * *', tz: 'Europe/Berlin' },
  }),
  acme('job:1', 'job.taught@1', { n: 1, measure: 'duration', value: 90 }),
  acme('job:1', 'job.ignored@1', { n: 1, what: 'missed', until: null }),
  acme('job:1', 'job.heeded@1', { n: 1, what: 'missed' }),
  acme('cause:1', 'cause.found@1', { n: 1, template: 'disk full', kind: 'space' }),
  acme('problem:1', 'problem.opened@1', {
    n: 1,
    job: 1,
    company: 1,
    cause: 1,
    state: 'Failed',
    run: 1,
    startedAt: START,
  }),
  acme('run:1', 'run.finished@1', {
    n: 1,
    job: 1,
    company: 1,
    key: KEY,
    uid: 'run-1',
    startedAt: START,
    status: 'Failed',
    endedAt: START + 60_000,
    durationSec: 60,
    bytes: 5,
    bytesProcessed: null,
    files: null,
    filesFailed: null,
    message: 'disk full',
    exitCode: 1,
    anomaly: [],
    problem: 1,
    hasLog: false,
    detail: {},
  }),
  acme('problem:1', 'problem.snoozed@1', { problems: [1], until: START * 2, reason: 'later' }),
  acme('problem:1', 'problem.woken@1', { problems: [1] }),
  acme('problem:1', 'problem.ticketed@1', { problems: [1], ticket: 'T-1' }),
  acme('problem:1', 'problem.tied@1', {
    problems: [1],
    tied: { id: TICKET, open: true, url: 'https://psa.example.com/1' },
  }),
  provider(`rule:${RULE}`, 'rule.made@1', { id: RULE, rank: 0, ...RULE_FIELDS }),
  provider(`rule:${RULE}`, 'rule.changed@1', { id: RULE, ...RULE_FIELDS, name: 'Full disks' }),
  acme('problem:1', 'problem.ruled@1', {
    problem: 1,
    rule: RULE,
    name: 'Full disks',
    did: ['ticketed', 'hinted'],
    hint: 'Free some space.',
  }),
  provider(`rule:${RULE}`, 'rule.removed@1', { id: RULE }),
  provider(`hint:${HINT}`, 'hint.saved@1', { id: HINT, ...HINT_FIELDS }),
  acme('problem:1', 'problem.helped@1', {
    problem: 1,
    hint: HINT,
    name: 'Disk full',
    helped: true,
  }),
  provider(`hint:${HINT}`, 'hint.removed@1', { id: HINT }),
  acme('computer:pc', 'computer.seen@1', {
    id: 'pc',
    key: KEY,
    company: 1,
    hostName: 'pc',
    os: null,
    osType: null,
    ipAddresses: [],
  }),
  acme('computer:pc', 'computer.ignored@1', { id: 'pc', until: null }),
  acme('computer:pc', 'computer.heeded@1', { id: 'pc' }),
  provider(`view:${VIEW}`, 'view.saved@1', {
    id: VIEW,
    name: 'Failed',
    query: 'status=Failed',
    shared: true,
    owner: USER,
  }),
  provider(`view:${VIEW}`, 'view.removed@1', { id: VIEW, owner: USER, shared: true }),
  acme(`ticket:${TICKET}`, 'ticket.made@1', {
    id: TICKET,
    number: 1,
    company: 1,
    system: 'own',
    contact: null,
    subject: 'Disk full',
    description: '',
    status: { id: 'new', name: 'New', closed: false },
    priority: null,
    owner: null,
  }),
  acme(`ticket:${TICKET}`, 'ticket.changed@1', {
    id: TICKET,
    by: 'person',
    status: { id: 'closed', name: 'Closed', closed: true },
  }),
  provider(`shift:${SHIFT}`, 'shift.ended@1', {
    id: SHIFT,
    since: START,
    at: START + 3_600_000,
    cleared: 1,
    of: 2,
    snoozed: 0,
    open: [{ company: 1, problems: 1 }],
    ending: [],
    comment: 'Quiet night',
    query: '',
  }),
  acme(`backupjob:${BACKUP_JOB}`, 'backupjob.created@1', {
    id: BACKUP_JOB,
    company: 1,
    organization: ORGANIZATION,
    enabled: true,
    name: 'Mail',
    description: '',
    isTeamsChatsEnabled: false,
    backupType: 'EntireOrganization',
    selectedItems: [],
    excludedItems: [],
    repository: REPOSITORY,
    proxy: null,
    schedulePolicy: {
      schedule: { type: 'Periodically', periodicallyEvery: 'Hours12' },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
  }),
  acme(`backupjob:${BACKUP_JOB}`, 'backupjob.notificationschanged@1', {
    id: BACKUP_JOB,
    notifications: { enabled: true, notifyOnFailure: true, userIds: [USER], externalCount: 1 },
  }),
];

/** The data of those events that have other names in it today. */
export const DATA_TODAY: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'job.found@1': { schedule: { type: 'every', everySec: 3_600, kind: 'Periodically' } },
  'job.changed@1': { schedule: { type: 'cron', cron: '0 2 * * *', tz: 'Europe/Berlin' } },
  'rule.made@1': { when: WHEN_TODAY },
  'rule.changed@1': { when: WHEN_TODAY },
  'hint.saved@1': { summary: 'The disk is full.' },
  'problem.ruled@1': { did: ['ticketLinked', 'hinted'] },
};

/** What each is called today. */
export const TODAY: Readonly<Record<string, string>> = {
  'company.made@1': 'company.created@1',
  'company.changed@1': 'company.updated@1',
  'user.made@1': 'user.created@1',
  'user.changed@1': 'user.updated@1',
  'user.preferred@1': 'user.preferenceSaved@1',
  'key.made@1': 'key.created@1',
  'key.heard@1': 'key.firstResultReceived@1',
  'job.changed@1': 'job.updated@1',
  'job.taught@1': 'job.calibrated@1',
  'job.heeded@1': 'job.unignored@1',
  'problem.woken@1': 'problem.unsnoozed@1',
  'problem.ticketed@1': 'problem.ticketSet@1',
  'problem.tied@1': 'problem.ticketLinked@1',
  'problem.ruled@1': 'problem.ruleApplied@1',
  'problem.helped@1': 'problem.hintRated@1',
  'rule.made@1': 'rule.created@1',
  'rule.changed@1': 'rule.updated@1',
  'rule.removed@1': 'rule.deleted@1',
  'hint.removed@1': 'hint.deleted@1',
  'computer.heeded@1': 'computer.unignored@1',
  'view.removed@1': 'view.deleted@1',
  'ticket.made@1': 'ticket.created@1',
  'ticket.changed@1': 'ticket.updated@1',
  'shift.ended@1': 'shift.handedOver@1',
  'backupjob.notificationschanged@1': 'backupjob.notificationsUpdated@1',
};

function provider(entity: string, type: string, data: FormerEvent['data']): FormerEvent {
  return { entity, company: null, type, data };
}

function acme(entity: string, type: string, data: FormerEvent['data']): FormerEvent {
  return { entity, company: 1, type, data };
}
