import type { Branding } from '#contract/branding/branding.ts';
import type { Role } from '#contract/abilities.ts';
import type { Bytes, KeyId, Ms, Seconds, TenantId } from '#contract/ids.ts';
import type { JobSchedule } from '#contract/runs/rows.ts';
import type { EntityGroup, JobType, Source } from '#contract/runs/vocabulary.ts';
import type { When } from './times.ts';

/** Plain types of the demo plan. Everything in it derives from the seed, the size and the start. */
export const SIZES = ['small', 'medium', 'large'] as const;
export type DemoSize = (typeof SIZES)[number];

/** `hourly`: how many of a thousand jobs run every hour. */
export const MEASURES_OF: Readonly<
  Record<DemoSize, { readonly companies: number; readonly jobs: number; readonly hourly: number }>
> = {
  small: { companies: 26, jobs: 700, hourly: 15 },
  medium: { companies: 200, jobs: 3_000, hourly: 16 },
  large: { companies: 1_000, jobs: 10_000, hourly: 27 },
};

/** Days of history that the demo has when it starts. */
export const PAST_DAYS = 30;

export interface DemoPlan {
  readonly seed: number;
  readonly size: DemoSize;
  readonly bornAt: Ms;
  readonly providers: readonly ProviderPlan[];
}

export interface ProviderPlan {
  readonly id: TenantId;
  readonly seed: number;
  /** Null: the provider of every host that no other provider claims. */
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
  /** The company of a customer's user, by its index in the plan. */
  readonly company: number | null;
  /** Whether the user does the daily checks. */
  readonly technician: boolean;
}

/** Companies, keys and machines are referenced by their index in the plan. */
export interface MachinePlan {
  readonly company: number;
  readonly key: number;
  readonly name: string;
  readonly site: string;
  readonly os: string;
  readonly osType: 'Server' | 'Workstation';
  readonly ip: string;
  readonly habit: MachineHabit;
  /** Known, but without a backup. */
  readonly bare: boolean;
}
/**
 * `away`: a laptop that is offline for days. `vss`: shadow copies fail now and then. `tuesdays`:
 * its connection is unreliable on Tuesdays.
 */
export type MachineHabit = 'steady' | 'away' | 'vss' | 'tuesdays';

export type JobHabit =
  | { readonly kind: 'steady' }
  /** Reports the same warning in each run. */
  | { readonly kind: 'grumbling' }
  /** Fails a little more often each day. */
  | { readonly kind: 'fading' }
  /** Was disabled at a time and forgotten. */
  | { readonly kind: 'forgotten'; readonly at: Ms }
  /** Fails with its server during an interval. Some jobs fail longer. */
  | { readonly kind: 'thursday'; readonly from: Ms; readonly to: Ms };

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
  /** The schedule that the source declares; null if it declares none. */
  readonly schedule: JobSchedule | null;
  readonly graceSec: Seconds | null;
  readonly habit: JobHabit;
  /** Probability that a six-day stretch contains failures. */
  readonly frailty: number;
  /** Size of the protected data when the demo began, and its growth per day. */
  readonly size: Bytes;
  readonly growth: number;
  /**
   * What a run transfers: everything, or the changes. `fulls` transfers everything on Saturdays.
   */
  readonly moves: 'all' | 'changes' | 'fulls';
  readonly change: number;
  readonly bytesPerSec: number;
  readonly files: number;
  readonly objects: number;
  /** The index of the repository that the job writes to. */
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
  /** Share in use when the demo starts, and its growth per day. */
  readonly used: number;
  readonly gain: number;
}
