/** An estate without a database: its plan, and its past decided in memory. */
import type { EventOf, EventType } from '#contract/events.ts';
import type { JobN } from '#contract/ids.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { makePlan } from '#server/demo/make-plan.ts';
import {
  type SeedActors,
  type History,
  generateHistory,
  type WholeState,
} from '#server/demo/generate-history.ts';
import { type DemoPlan, PAST_DAYS, type ProviderPlan, type DemoSize } from '#server/demo/plan.ts';

export const DAY = 86_400_000;
export const HOUR = 3_600_000;
/** A Wednesday morning. */
export const BORN = Date.parse('2026-03-11T09:10:00Z');

export const getPlan = (size: DemoSize = 'small', bornAt = BORN, seed = 7): DemoPlan =>
  makePlan(seed, size, bornAt);

export function getFirst(plan: DemoPlan): ProviderPlan {
  const [first] = plan.providers;
  if (!first) throw new Error('an estate without a provider');
  return first;
}

const keyRow = ({
  id,
  name,
  company,
  tool,
  managed,
}: ProviderPlan['keys'][number]): IngestKeyRow => ({
  id,
  name,
  company: company + 1,
  tool,
  managed,
  hint: 'abcd',
  madeAt: 0,
  rotatedAt: null,
  revokedAt: null,
  firstResultAt: null,
});

export const castIn = (plan: ProviderPlan, until = plan.bornAt): SeedActors => ({
  since: plan.bornAt - PAST_DAYS * DAY,
  until,
  bootedAt: 0,
  companies: plan.companies.map((_, place) => place + 1),
  keys: plan.keys.map(keyRow),
  technicians: ['ann', 'ben'],
  heard: new Set(),
});

export const emptyFixture = (): WholeState => ({
  missed: new Set(),
  job: new Map(),
  stat: new Map(),
  key: new Map(),
  run: new Map(),
  problem: new Map(),
  cause: new Map(),
  jobByUid: new Map(),
  runByUid: new Map(),
  runByStart: new Map(),
  causeByName: new Map(),
  logged: new Map(),
  next: { job: 1, run: 1, problem: 1, cause: 1 },
});

/** The whole past of a provider, and what it left. */
export interface WholePast {
  readonly past: History;
  readonly ground: WholeState;
  readonly events: <T extends EventType>(type: T) => EventOf<T>['data'][];
}
export function pastIn(plan: ProviderPlan): WholePast {
  const fixture = emptyFixture();
  const cast = castIn(plan);
  const past = generateHistory(plan, cast, fixture, cast.since, cast.until);
  return {
    past,
    ground: fixture,
    events: <T extends EventType>(type: T) =>
      past.drafts.flatMap(({ event }) =>
        event.type === type ? [event.data as EventOf<T>['data']] : [],
      ),
  };
}

export const planned = (
  plan: ProviderPlan,
  fixture: WholeState,
  n: JobN,
): ProviderPlan['jobs'][number] | undefined => {
  const uid = fixture.job.get(n)?.uid;
  return plan.jobs.find((job) => job.uid === uid);
};
