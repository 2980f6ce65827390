import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '../platform/app-context.ts';
import type { DemoOption } from './options.ts';
import { loadHistory, markAt, type Progress } from './load-history.ts';
import { makePlan } from './make-plan.ts';
import type { EstatePlan, Size } from './plan.ts';
import { provision } from './provision.ts';
import { demoMessages } from './demo.messages.en.ts';

interface Kept {
  readonly size: Size;
  readonly seed: number;
  readonly bornAt: Ms;
}
const SETTING = 'estate';
const SEED = 20_260_301;
const MINUTE: Ms = 60_000;

/** The requested demo size differs from the stored data. The message is for the operator. */
export class OtherDemo extends Error {
  constructor(held: DemoOption, asked: DemoOption) {
    super(demoMessages.otherDemo({ held, asked }));
    this.name = 'OtherEstate';
  }
}

/**
 * Returns the demo plan of the data, chosen at the first start: the requested size, else small.
 * Null if there is no demo data. Throws `OtherEstate` if the requested size differs from the stored
 * one. The plan derives from the stored seed, size and start.
 */
export async function chooseDemo(
  world: AppContext,
  asked: DemoOption | null,
): Promise<EstatePlan | null> {
  const kept = await keptOf(world);
  const held: DemoOption | null =
    kept?.size ?? ((await world.store.tenants()).length > 0 ? 'none' : null);
  if (held !== null && asked !== null && asked !== held) throw new OtherDemo(held, asked);
  const size = held ?? asked ?? 'small';
  if (size === 'none') return null;
  const { seed, bornAt } =
    kept ?? (await keep(world, { size, seed: SEED, bornAt: world.clock.now() }));
  return makePlan(seed, size, bornAt);
}

/**
 * Brings the demo data up to now: creates providers, users and history at the first start, and adds
 * what happened since at a later one.
 */
export async function seedDemo(
  world: AppContext,
  plan: EstatePlan,
  password: () => Promise<string>,
  tell: (progress: Progress) => void,
): Promise<number> {
  const now = world.clock.now();
  let runs = 0;
  for (const provider of plan.providers) {
    await provision(world, provider, password);
    const told = await markAt(world, provider);
    // The live simulation fills in gaps this short.
    if (told !== null && now - told < 2 * MINUTE) continue;
    runs += await loadHistory(world, provider, now, tell);
  }
  return runs;
}

async function keptOf(world: AppContext): Promise<Kept | null> {
  const row = await world.store.system((sql) =>
    sql.selectFrom('server_setting').select('value').where('name', '=', SETTING).executeTakeFirst(),
  );
  return row === undefined ? null : (JSON.parse(row.value) as Kept);
}

async function keep(world: AppContext, kept: Kept): Promise<Kept> {
  await world.store.system((sql) =>
    sql
      .insertInto('server_setting')
      .values({ name: SETTING, value: JSON.stringify(kept) })
      .execute(),
  );
  return kept;
}
