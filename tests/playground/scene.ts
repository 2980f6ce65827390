import { PLAIN_BRANDING } from '#contract/branding/branding.ts';
import { PLAIN } from '#tests/me.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { OutboxView, RefusedView, SyncStatus } from '#workers/api.ts';

/** A fixed morning: Friday 11/20/26, 07:46 AM in Chicago. */
export const NOW = Date.UTC(2026, 10, 20, 13, 46);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;

export interface Scene {
  readonly who: 'starting' | 'in' | 'out' | 'expired' | 'ended';
  readonly roles: Me['roles'];
  readonly brand: 'none' | 'green' | 'long' | 'pale';
  readonly sync:
    | 'live'
    | 'catching-up'
    | 'offline'
    | 'refused'
    | 'waiting'
    | 'update-needed'
    | 'memory'
    | 'full'
    | 'reload';
  readonly keys: 'none' | 'some' | 'many' | 'loading';
  readonly companies: number;
  /** How calls that need the server answer. */
  readonly server: 'answers' | 'fails' | 'gone';
  readonly signIn: 'right' | 'wrong' | 'throttled' | 'gone';
}

const USUAL: Scene = {
  who: 'in',
  roles: ['admin', 'operator'],
  brand: 'none',
  sync: 'live',
  keys: 'some',
  companies: 6,
  server: 'answers',
  signIn: 'right',
};

/** Anything that is left out is as usual. */
export const getScene = (json: string | null): Scene => ({
  ...USUAL,
  ...(JSON.parse(json ?? '{}') as Partial<Scene>),
});

export const getMe = (scene: Scene): Me => ({
  id: 'u1',
  username: 'd.reyes',
  name: 'Dana Reyes',
  email: 'd.reyes@northwind.example',
  roles: scene.roles,
  companies: null,
  serviceProviderId: 'p1',
  ...PLAIN,
});

export function getBranding({ brand }: Scene): Branding {
  const plain: Branding = {
    id: 'p1',
    name: 'Northwind Backup',
    title: 'Portal',
    favIconUrl: null,
    apiUrl: '',
    domain: 'localhost',
    sidebarLogoUrl: null,
    sidebarLogoWidth: null,
    sidebarLogoHeight: null,
    sidebarTitle: 'Portal',
    supportEmail: 'support@northwind.example',
    supportPhone: '(555) 010-0142',
    authType: 'db',
    isStripeEnabled: false,
    accent: null,
    accentDark: null,
    sidebar: null,
    sidebarDark: null,
    timeZone: 'America/Chicago',
    dayBeginsHour: 0,
    offlineDays: 7,
    ...PLAIN_BRANDING,
  };
  switch (brand) {
    case 'none':
      return plain;
    case 'green':
      return {
        ...plain,
        title: 'Kestrel',
        sidebarTitle: 'Kestrel Backup',
        accent: '#1b6b3a',
        sidebar: '#123524',
        sidebarDark: '#0d1c14',
      };
    case 'pale':
      return { ...plain, accent: '#ffd54a', sidebar: '#f4e9c8' };
    case 'long':
      return {
        ...plain,
        name: 'The Westerly and North Shore Managed Backup and Recovery Company of Illinois',
        sidebarTitle: 'The Westerly and North Shore Managed Backup',
      };
  }
}

export function getStatus({ sync }: Scene): SyncStatus {
  const live: SyncStatus = {
    kind: 'live',
    syncedAt: NOW,
    offlineSince: null,
    left: 0,
    waiting: 0,
    refused: 0,
    partly: 0,
    follower: false,
    storage: 'persisted',
    error: null,
    reload: false,
  };
  switch (sync) {
    case 'live':
      return live;
    case 'catching-up':
      return { ...live, kind: 'catching-up', left: 1_204, syncedAt: NOW - 3 * DAY };
    case 'offline':
      return {
        ...live,
        kind: 'offline',
        offlineSince: NOW + 6 * MIN,
        waiting: 3,
        storage: 'best-effort',
      };
    case 'waiting':
      return { ...live, waiting: 3 };
    case 'refused':
      return { ...live, waiting: 1, refused: 2, follower: true };
    case 'update-needed':
      return { ...live, kind: 'update-needed', waiting: 1 };
    case 'memory':
      return { ...live, storage: 'memory' };
    case 'full':
      return { ...live, storage: 'full', error: 'The disk of this device has 12 MB left.' };
    case 'reload':
      return { ...live, reload: true };
  }
}

export function getOutbox(scene: Scene): OutboxView {
  const { waiting, refused } = getStatus(scene);
  const what = [
    'Review of 13 results of Calloway Freight',
    'Note on SQL logs, 15 min',
    'Snooze of Agent, plant 2 until Monday',
  ];
  return {
    entries: [
      ...Array.from({ length: waiting }, (_, i) => ({
        id: `w${i}`,
        call: 'changeExecution' as const,
        runs: [i + 1],
        what: what[i % 3] ?? '',
        madeAt: NOW - i * 7 * MIN,
        state: i === 0 ? ('sending' as const) : ('waiting' as const),
        failure: null,
      })),
      ...Array.from({ length: refused }, (_, i) => ({
        id: `r${i}`,
        call: 'changeExecution' as const,
        runs: [i + 1],
        what: `Review of Agent, workshop (Umber & Sons Joinery)`,
        madeAt: NOW - (i + 2) * HOUR,
        state: 'refused' as const,
        failure: {
          kind: 'conflict' as const,
          message:
            i === 0
              ? 'J. Lindqvist already reviewed this.'
              : 'This problem is closed. A later run succeeded or failed differently.',
        },
      })),
    ],
    damaged: [],
    notices:
      refused > 0
        ? [
            {
              id: 'n1',
              at: NOW - 20 * MIN,
              text: 'M. Okafor replaced your note.',
              run: 4,
              refused: 0,
            },
            {
              id: 'n2',
              at: NOW - 12 * MIN,
              text: "61 of 340 results weren't changed: 2 different reasons.",
              run: 5,
              refused: 61,
            },
          ]
        : [],
  };
}

const NAMES = [
  'Calloway Freight',
  'Drummond & Pike',
  'Eastmoor Trust',
  'Hartwell Accountancy',
  'Ironbridge Tooling',
  'Westerly & North Shore Credit Union Association of the Great Lakes',
  'Kestrel Surveying',
  'Larkspur Care Homes',
  'Oakhurst Credit Union',
  'Aldergate Vets',
  'Pemberton Estates',
  'Fennimore Foods',
  'Umber & Sons Joinery',
] as const;

/** The first of them for one reason, the rest for another. */
export function getRefused(count: number, max: number): RefusedView {
  const runs = Array.from({ length: count }, (_, i) => ({
    run: i + 5,
    jobName:
      i % 9 === 8
        ? null
        : `${i % 7 === 3 ? 'Virtual machines of the second data centre, weekly full with verification and report' : 'Agent'} ${i + 1}`,
    companyName: i % 9 === 8 ? null : (NAMES[i % NAMES.length] ?? ''),
    startedAt: i % 9 === 8 ? null : NOW - i * HOUR,
  }));
  const parts = [
    { why: 'J. Lindqvist already reviewed this.', runs: runs.slice(0, Math.ceil(count / 5)) },
    {
      why: 'This problem is closed. A later run succeeded or failed differently.',
      runs: runs.slice(Math.ceil(count / 5)),
    },
  ];
  let left = max;
  const reasons = parts
    .filter((part) => part.runs.length > 0)
    .map((part) => {
      const shown = part.runs.slice(0, left);
      left -= shown.length;
      return { why: part.why, count: part.runs.length, runs: shown };
    });
  return { count, reasons };
}

export const getCompanies = (scene: Scene): readonly CompanyRow[] =>
  Array.from({ length: scene.companies }, (_, i) => ({
    n: i + 1,
    id: `c${i + 1}`,
    name:
      i < NAMES.length
        ? (NAMES[i] ?? '')
        : `${NAMES[i % NAMES.length] ?? ''} ${Math.floor(i / NAMES.length) + 1}`,
    madeAt: NOW - 400 * DAY,
  }));

export function getKeys(scene: Scene): readonly IngestKeyRow[] {
  const key = (i: number, more: Partial<IngestKeyRow>): IngestKeyRow => ({
    id: `k${i}`,
    name: `Files on FS0${i}`,
    company: (i % scene.companies) + 1,
    tool: 'restic',
    managed: null,
    hint: `4f${i}a`,
    madeAt: NOW - i * 9 * DAY,
    rotatedAt: null,
    revokedAt: null,
    firstResultAt: NOW - i * 8 * DAY,
    ...more,
  });
  if (scene.keys === 'none' || scene.keys === 'loading') return [];
  const some = [
    key(1, { name: 'Mail server', tool: 'borgmatic', firstResultAt: null, madeAt: NOW - 4 * MIN }),
    key(2, {}),
    key(3, { name: 'SQL nightly, tier 1', tool: 'borg', rotatedAt: NOW - 2 * DAY }),
    key(4, {
      name: 'Everything on the file server in the basement of the north building, both volumes',
      tool: 'rclone',
      company: 6,
    }),
    key(5, { name: 'Old NAS', tool: 'ping', revokedAt: NOW - 3 * DAY }),
  ];
  return scene.keys === 'some'
    ? some
    : [...some, ...Array.from({ length: 200 }, (_, i) => key(i + 6, { tool: 'bacula' }))];
}
