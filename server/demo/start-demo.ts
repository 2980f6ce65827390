import { keepPassword, readPassword } from '../first-start.ts';
import type { RepeatedTask } from './repeat.ts';
import type { AppContext } from '../platform/app-context.ts';
import type { DemoOption } from './options.ts';
import { settleConnections } from './connections.ts';
import { startBackups } from './backups.ts';
import { demoCloud } from './demo-cloud.ts';
import { type DemoTenants, openDemoTenants } from './demo-tenants.ts';
import { seedDemo, chooseDemo } from './demo.ts';
import { startLiveSimulation } from './simulate-live.ts';
import type { DemoPlan } from './plan.ts';
import { type DemoStripe, startDemoStripe } from './stripe/demo-stripe.ts';
import { settleReports } from './reports.ts';
import { openTickets } from './tickets.ts';
import { demoMessages as t } from './demo.messages.en.ts';

/** Up-to-date demo data. `people`: the list of users, printed at the start. */
export interface DemoServer {
  readonly plan: DemoPlan;
  readonly password: string | null;
  readonly tenants: DemoTenants;
  readonly stripe: DemoStripe;
  live(): Promise<RepeatedTask>;
}

/**
 * Brings the demo data up to now and logs the progress. Returns null if there is no demo data.
 * @throws a sentence for the operator if the requested size differs from the stored one.
 */
export async function startDemo(
  context: AppContext,
  request: DemoOption | null,
  wanted: string | null,
  say: (text: string) => void,
): Promise<DemoServer | null> {
  const plan = await chooseDemo(context, request);
  if (plan === null) return null;
  let shownAt = 0;
  let stored: string | null = null;
  // Stored before users are created, and not created again if somebody deleted its file.
  const password = async (): Promise<string> => (stored ??= await keepPassword(context, wanted));
  await seedDemo(context, plan, password, ({ provider, days, of, runs }) => {
    const now = context.clock.now();
    if (of < 2 || (shownAt > 0 && now - shownAt < TELL_MS && days < of)) return;
    shownAt = now;
    say(t.demoProgress({ provider, days, of, runs }));
  });
  for (const provider of plan.providers) {
    await openTickets(context, provider);
    await settleReports(context, provider);
    await settleConnections(context, provider);
  }
  const tenants = openDemoTenants(context, plan);
  if ((context.config.graph ?? null) === null) context.cloud.connectTo(demoCloud(tenants));
  const stripe = await startDemoStripe(context, plan);
  return {
    plan,
    password: readPassword(context),
    tenants,
    stripe,
    async live() {
      const simulation = await startLiveSimulation(context, plan);
      const backups = startBackups(context, plan, tenants);
      return {
        tick: (now) => simulation.tick(now),
        async stop() {
          await Promise.all([simulation.stop(), backups.stop()]);
        },
      };
    },
  };
}

const TELL_MS = 3_000;

/**
 * Returns one line per user: the portal's address and who may sign in there. `address` returns the
 * address of a host; null is the default host.
 */
export function whoIsWho(
  { plan, password }: Pick<DemoServer, 'plan' | 'password'>,
  address: (host: string | null) => string,
): string {
  const lines = plan.providers.flatMap(({ branding, host, people, companies }) => [
    `${branding.name}: ${address(host)}`,
    ...people.map(
      ({ username, name, roles, company }) =>
        `  ${username.padEnd(11)}${name.padEnd(18)}${
          company === null
            ? roles.join(', ')
            : t.demoCompany({ roles: roles.join(', '), company: companies[company]?.name ?? '' })
        }`,
    ),
  ]);
  return [...lines, password === null ? t.demoPasswordShown : t.demoPassword({ password })].join(
    '\n',
  );
}
