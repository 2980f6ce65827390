import { LIMITS } from '#contract/limits.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { defaultBranding } from '../features/branding/default-branding.ts';
import { makeRng, mixed, shared, getUuid } from './random.ts';
import { makeCompany } from './make-company.ts';
import { companyNames, type CompanyName, HARBOUR } from './names.ts';
import { makeFailureHabits } from './failure-habits.ts';
import {
  type DemoPlan,
  MEASURES_OF,
  type PersonPlan,
  type ProviderPlan,
  type DemoSize,
} from './plan.ts';

/** Returns the whole demo plan. The same seed, size and start give the same plan. */
export function makePlan(seed: number, size: DemoSize, bornAt: Ms): DemoPlan {
  const { companies, jobs, hourly } = MEASURES_OF[size];
  const own: CompanyName = {
    name: 'Lakeside IT (own systems)',
    code: 'LSI',
    town: 'Leeds',
    style: 'windows',
  };
  return {
    seed,
    size,
    bornAt,
    providers: [
      provider(
        mixed(seed, 1),
        bornAt,
        null,
        [own, ...companyNames(companies - 1)],
        jobs,
        hourly,
        LAKESIDE_PEOPLE,
        'Europe/London',
        {
          name: 'Lakeside IT',
          title: 'Lakeside Backup Portal',
          sidebarTitle: 'Lakeside IT',
          supportEmail: 'support@lakeside.example.com',
          supportPhone: '+44 113 496 0155',
          features: {
            ...defaultBranding('', '', '').features,
            invoice_automation: true,
            billing: { ccCollection: true },
            supportSection: {
              enabled: true,
              links: {
                request: true,
                live: true,
                downloads: true,
                faq: { enabled: true, url: 'https://help.lakeside.example.com/' },
              },
            },
          },
        },
      ),
      provider(
        mixed(seed, 2),
        bornAt,
        'harbour.localhost',
        HARBOUR,
        120,
        25,
        HARBOUR_PEOPLE,
        'America/New_York',
        {
          name: 'Harbour Data Care',
          title: 'Harbour Data Care',
          sidebarTitle: 'Harbour Data Care',
          supportEmail: 'help@harbour.example.com',
          supportPhone: '+1 207 555 0142',
          favIconUrl: '/harbour.svg',
          sidebarLogoUrl: '/harbour.svg',
          sidebarLogoWidth: 32,
          sidebarLogoHeight: 32,
          accent: '#0f766e',
          accentDark: '#5eead4',
          sidebar: '#123f4a',
          sidebarDark: '#0a2229',
          dayBeginsHour: 6,
        },
      ),
    ],
  };
}

function provider(
  seed: number,
  bornAt: Ms,
  host: string | null,
  names: readonly CompanyName[],
  jobs: number,
  hourly: number,
  people: readonly PersonPlan[],
  tz: string,
  brand: Partial<ProviderPlan['branding']>,
): ProviderPlan {
  const id = getUuid(seed, 'provider') as TenantId;
  // A few companies have most of the jobs.
  const counts = shared(
    jobs,
    names.map((_, rank) => (rank + 3) ** -0.85),
    4,
  );
  const made = names.map((name, index) =>
    makeCompany({
      seed,
      index,
      name,
      jobs: counts[index] ?? 4,
      hourly,
      shift: host === null ? 0 : 3,
      tz,
      bornAt,
      firstJob: counts.slice(0, index).reduce((sum, one) => sum + one, 0),
    }),
  );
  const offsets = (what: 'machines' | 'keys' | 'repositories'): number[] =>
    made.map((_, index) => made.slice(0, index).reduce((sum, one) => sum + one[what].length, 0));
  const [machines, keys, repositories] = [
    offsets('machines'),
    offsets('keys'),
    offsets('repositories'),
  ];
  const plan: ProviderPlan = {
    id,
    seed,
    host,
    bornAt,
    people,
    branding: {
      ...defaultBranding(id, '', host ?? 'localhost'),
      timeZone: tz,
      isStripeEnabled: true,
      offlineDays: LIMITS.offlineDays,
      ...brand,
    },
    companies: made.map((one) => one.company),
    keys: made.flatMap((one) => one.keys),
    machines: made.flatMap((one, index) =>
      one.machines.map((machine) => ({ ...machine, key: machine.key + (keys[index] ?? 0) })),
    ),
    repositories: made.flatMap((one, index) =>
      one.repositories.map((repository) => ({
        ...repository,
        key: repository.key + (keys[index] ?? 0),
      })),
    ),
    jobs: made.flatMap((one, index) =>
      one.jobs.map((job) => ({
        ...job,
        key: job.key + (keys[index] ?? 0),
        machine: job.machine + (machines[index] ?? 0),
        repository: job.repository + (repositories[index] ?? 0),
      })),
    ),
  };
  return { ...plan, ...makeFailureHabits(plan, host === null, makeRng(seed, 'habits')) };
}

const person = (
  username: string,
  name: string,
  roles: PersonPlan['roles'],
  more: Partial<PersonPlan> = {},
): PersonPlan => ({ username, name, roles, company: null, technician: false, ...more });

const LAKESIDE_PEOPLE: readonly PersonPlan[] = [
  person('admin', 'Morag Sinclair', ['admin']),
  person('operator', 'Dev Chaudhary', ['operator'], { technician: true }),
  person('operator2', 'Hannah Beck', ['operator'], { technician: true }),
  person('reader', 'Colin Frost', ['read-only']),
  person('owner', 'Ruth Adeyemi', ['super-admin', 'o365_admin']),
  person('m365', 'Piotr Zielinski', ['o365_admin']),
  person('partner', 'Sana Malik', ['sub-sp']),
  person('customer', 'George Whitlam', ['read-only'], { company: 1 }),
  person('subscriber', 'Noor Haddad', ['o365_admin'], { company: 1 }),
];
const HARBOUR_PEOPLE: readonly PersonPlan[] = [
  person('operator', 'Ellie Thibodeau', ['operator'], { technician: true }),
];
