import type { Ms } from '#contract/ids.ts';
import { MINUTE_MS } from '#contract/time/durations.ts';
import type { AppContext } from '../platform/app-context.ts';
import { DEMO_SETTING } from '../platform/db/server-settings.ts';
import type { DemoOption } from './options.ts';
import { loadHistory, markAt, type LoadProgress } from './load-history.ts';
import { makePlan } from './make-plan.ts';
import type { DemoPlan, DemoSize } from './plan.ts';
import { provision } from './provision.ts';
import { demoMessages } from './demo.messages.en.ts';

interface StoredDemo {
  readonly size: DemoSize;
  readonly seed: number;
  readonly bornAt: Ms;
}
const SEED = 20_260_301;

/** The requested demo size differs from the stored data. The message is for the operator. */
export class OtherDemo extends Error {
  constructor(held: DemoOption, request: DemoOption) {
    super(demoMessages.otherDemo({ held, asked: request }));
    this.name = 'OtherEstate';
  }
}

/**
 * Returns the demo plan of the data, chosen at the first start: the requested size, else small.
 * Null if there is no demo data. Throws `OtherEstate` if the requested size differs from the stored
 * one. The plan derives from the stored seed, size and start.
 */
export async function chooseDemo(
  context: AppContext,
  request: DemoOption | null,
): Promise<DemoPlan | null> {
  const stored = await loadStored(context);
  const held: DemoOption | null =
    stored?.size ?? ((await context.store.tenants()).length > 0 ? 'none' : null);
  if (held !== null && request !== null && request !== held) throw new OtherDemo(held, request);
  const size = held ?? request ?? 'small';
  if (size === 'none') return null;
  const { seed, bornAt } =
    stored ?? (await keep(context, { size, seed: SEED, bornAt: context.clock.now() }));
  return makePlan(seed, size, bornAt);
}

/**
 * Brings the demo data up to now: creates providers, users and history at the first start, and adds
 * what happened since at a later one.
 */
export async function seedDemo(
  context: AppContext,
  plan: DemoPlan,
  password: () => Promise<string>,
  onProgress: (progress: LoadProgress) => void,
): Promise<number> {
  const now = context.clock.now();
  let runs = 0;
  // The first provider manages the others.
  const [first] = plan.providers;
  for (const provider of plan.providers) {
    const master = first === undefined || first === provider ? null : first.id;
    await provision(context, provider, password, master);
    const mark = await markAt(context, provider);
    // The live simulation fills in gaps this short.
    if (mark !== null && now - mark < 2 * MINUTE_MS) continue;
    runs += await loadHistory(context, provider, now, onProgress);
  }
  return runs;
}

async function loadStored(context: AppContext): Promise<StoredDemo | null> {
  const row = await context.store.system((sql) =>
    sql
      .selectFrom('server_setting')
      .select('value')
      .where('name', '=', DEMO_SETTING)
      .executeTakeFirst(),
  );
  return row === undefined ? null : (JSON.parse(row.value) as StoredDemo);
}

async function keep(context: AppContext, stored: StoredDemo): Promise<StoredDemo> {
  await context.store.system((sql) =>
    sql
      .insertInto('server_setting')
      .values({ name: DEMO_SETTING, value: JSON.stringify(stored) })
      .execute(),
  );
  return stored;
}
