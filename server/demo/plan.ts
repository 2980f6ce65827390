import type { Branding } from '#contract/branding/branding.ts';
import type { Role } from '#contract/abilities.ts';
import type { Bytes, KeyId, Ms, Seconds, TenantId } from '#contract/ids.ts';
import type { Schedule } from '#contract/runs/rows.ts';
import type { EntityGroup, JobType, Source } from '#contract/runs/vocabulary.ts';
import type { When } from './times.ts';

/**
 * Plain shapes of what an estate is made of. Everything in it follows from the seed, the size and
 * the moment at which it began.
 */
export const SIZES = ['small', 'medium', 'large'] as const;
export type Size = (typeof SIZES)[number];

/** `hourly`: of a thousand jobs, how many run every hour. */
export const MEASURES_OF: Readonly<
  Record<Size, { readonly companies: number; readonly jobs: number; readonly hourly: number }>
> = {
  small: { companies: 26, jobs: 700, hourly: 15 },
  medium: { companies: 200, jobs: 3_000, hourly: 16 },
  large: { companies: 1_000, jobs: 10_000, hourly: 27 },
};

/** Days of past that an estate has when it is first shown. */
export const PAST_DAYS = 30;

export interface EstatePlan {
  readonly seed: number;
  readonly size: Size;
  readonly bornAt: Ms;
  readonly providers: readonly ProviderPlan[];
}

export interface ProviderPlan {
  readonly id: TenantId;
  readonly seed: number;
  /** Null: the provider of every host that nobody has named. */
  readonly host: string | null;
  readonly branding: Branding;
  readonly bornAt: Ms;
  readonly companies: readonly CompanyPlan[];
  readonly keys: readonly KeyPlan[];
  readonly machines: readonly MachinePlan[];
  readonly jobs: readonly JobPlan[];
  readonly repositories: readonly RepositoryPlan[];
  readonly people: readonly PersonPlan[];
}

export interface CompanyPlan {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly sites: readonly string[];
}
export interface KeyPlan {
  readonly id: KeyId;
  readonly name: string;
  readonly company: number;
  readonly tool: Source;
  readonly managed: boolean | null;
}
export interface PersonPlan {
  readonly username: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** The one company of a customer's user, by its place in the plan. */
  readonly company: number | null;
  /** Whether it clears the morning's list. */
  readonly technician: boolean;
}

/** Companies, keys and machines are named by their places in the plan. */
export interface MachinePlan {
  readonly company: number;
  readonly key: number;
  readonly name: string;
  readonly site: string;
  readonly os: string;
  readonly osType: 'Server' | 'Workstation';
  readonly ip: string;
  readonly habit: MachineHabit;
  /** Seen, and nothing backs it up. */
  readonly bare: boolean;
}
/**
 * `away`: a laptop that is not there for days. `vss`: shadow copies fail now and then. `tuesdays`:
 * its line is bad on Tuesdays.
 */
export type MachineHabit = 'steady' | 'away' | 'vss' | 'tuesdays';

export type JobHabit =
  | { readonly is: 'steady' }
  /** Warns of the same thing at each run. */
  | { readonly is: 'grumbling' }
  /** Fails a little more often each day. */
  | { readonly is: 'fading' }
  /** Was switched off at a moment and forgotten. */
  | { readonly is: 'forgotten'; readonly at: Ms }
  /** Goes down with its server from one moment to another, and some of them longer. */
  | { readonly is: 'thursday'; readonly from: Ms; readonly to: Ms };

export interface JobPlan {
  readonly index: number;
  readonly seed: number;
  readonly uid: string;
  readonly company: number;
  readonly key: number;
  readonly machine: number;
  readonly name: string;
  readonly source: Source;
  readonly type: JobType;
  readonly group: EntityGroup;
  readonly computer: string;
  readonly server: string;
  readonly managed: boolean | null;
  readonly when: When;
  /** As its source declares it; null where it declares none. */
  readonly schedule: Schedule | null;
  readonly graceSec: Seconds | null;
  readonly habit: JobHabit;
  /** Chance of some bad days in six. */
  readonly frailty: number;
  /** Size of what it protects when the estate began, and what that gains a day. */
  readonly size: Bytes;
  readonly growth: number;
  /**
   * What one run moves of it: everything, or what changed. `fulls` moves everything on Saturdays.
   */
  readonly moves: 'all' | 'changes' | 'fulls';
  readonly change: number;
  readonly bytesPerSec: number;
  readonly files: number;
  readonly objects: number;
  /** The repository that it writes to, by its place. */
  readonly repository: number;
}

export interface RepositoryPlan {
  readonly company: number;
  readonly key: number;
  readonly uid: string;
  readonly name: string;
  readonly type: string;
  readonly hostName: string;
  readonly path: string;
  readonly capacity: Bytes;
  /** Share in use when the estate is first shown, and what it gains a day. */
  readonly used: number;
  readonly gain: number;
}
