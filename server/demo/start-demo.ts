import { keepPassword, readPassword } from '../first-start.ts';
import type { Watch } from '../platform/jobs/repeat.ts';
import type { AppContext } from '../platform/app-context.ts';
import type { DemoOption } from './options.ts';
import { settleConnections } from './connections.ts';
import { seedDemo, chooseDemo } from './demo.ts';
import { startLiveSimulation } from './simulate-live.ts';
import type { EstatePlan } from './plan.ts';
import { settleReports } from './reports.ts';
import { openTickets } from './tickets.ts';

/** An estate that is up to date. `people`: who is who in it, to be told at the start. */
export interface DemoServer {
  readonly plan: EstatePlan;
  readonly password: string | null;
  live(): Promise<Watch>;
}

/**
 * Brings the estate of the data up to now, telling how far it is; null where there is none. Throws
 * a sentence where another is asked for than is there.
 */
export async function startDemo(
  world: AppContext,
  asked: DemoOption | null,
  wanted: string | null,
  say: (text: string) => void,
): Promise<DemoServer | null> {
  const plan = await chooseDemo(world, asked);
  if (plan === null) return null;
  let told = 0;
  let kept: string | null = null;
  // Kept before people are made, and not made again where somebody has deleted its file.
  const password = async (): Promise<string> => (kept ??= await keepPassword(world, wanted));
  await seedDemo(world, plan, password, ({ provider, days, of, runs }) => {
    const now = world.clock.now();
    if (of < 2 || (told > 0 && now - told < TELL_MS && days < of)) return;
    told = now;
    say(
      `Making the past of ${provider}: ${days} of ${of} days, ${runs.toLocaleString('en')} results`,
    );
  });
  for (const provider of plan.providers) {
    await openTickets(world, provider);
    await settleReports(world, provider);
    await settleConnections(world, provider);
  }
  return { plan, password: readPassword(world), live: () => startLiveSimulation(world, plan) };
}

const TELL_MS = 3_000;

/**
 * Where each portal is and who may sign in there: one line a user. `address` gives the address of a
 * host; null is the default one.
 */
export function whoIsWho(
  { plan, password }: Pick<DemoServer, 'plan' | 'password'>,
  address: (host: string | null) => string,
): string {
  const lines = plan.providers.flatMap(({ branding, host, people, companies }) => [
    `${branding.name}: ${address(host)}`,
    ...people.map(
      ({ username, name, roles, company }) =>
        `  ${username.padEnd(11)}${name.padEnd(18)}${roles.join(', ')}${company === null ? '' : `, ${companies[company]?.name ?? ''} only`}`,
    ),
  ]);
  return [
    ...lines,
    password === null
      ? 'The password is the one that was told at the first start.'
      : `password of all: ${password}`,
  ].join('\n');
}
