import { randomUUID } from 'node:crypto';
import type { InputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import type { RunRow } from '#contract/runs/rows.ts';
import { collectorHandlers } from '#server/features/connections/handlers.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { HERE } from '../../outbound/listen.ts';
import { anAsk, aPlace, type IngestFixture, type Place } from '../../ingest/fixtures.ts';
import { KEY, uid } from './vspc.ts';
import { connectionTicks, type Ticks } from '../../jobs/ticks.ts';

export interface Field {
  readonly place: Place;
  readonly context: AppContext;
  readonly tenant: string;
  collectors: Ticks;
  /** A company of ours that is linked with one of the console, or with tenants of Microsoft 365. */
  company(name: string, vac?: string | null, organizations?: readonly string[]): Promise<number>;
  connect(address: string, more?: Partial<InputOf<'createConnection'>>): Promise<string>;
  /** Time passes, and what is due by then is read. */
  round(ms?: number): Promise<void>;
  runs(): Promise<RunRow[]>;
  listConnections(): ReturnType<ReturnType<typeof collectorHandlers>['listConnections']>;
}

/**
 * A provider whose server may ask this machine, and its collectors. `context` gives the test a hand
 * in what the server does.
 */
export async function aField(
  store: Store,
  change: (context: AppContext) => AppContext = (context) => context,
  timeoutMs?: Ms,
): Promise<Field> {
  const place = await aPlace(store);
  // The providers of other tests have connections of their own.
  const alone: Store = { ...store, tenants: () => Promise.resolve([place.tenant]) };
  const context = change({
    ...place.ground.context,
    store: alone,
    config: { ...place.ground.context.config, ...HERE },
  });
  const handlers = collectorHandlers(context);
  const fixture: IngestFixture = { ...place.ground, context };
  const ask = () => anAsk(fixture, place.tenant);
  const field: Field = {
    place,
    context,
    tenant: place.tenant,
    collectors: connectionTicks(context, timeoutMs),
    company: (name, vac = uid(`company ${name}`), organizations = []) =>
      context.store.tenant(place.tenant, async (tx) => {
        const n = await tx.take('company', 1);
        const applications = {
          vac: { id: vac },
          vcd: { id: null },
          zerto: { id: null },
          office365: {
            enabled: organizations.length > 0,
            organizations: organizations.map((id) => ({ id })),
          },
        };
        await tx.append(
          [
            {
              event: { type: 'company.created@1', data: { n, id: randomUUID(), name } },
              company: n,
              entity: `company:${n}`,
            },
            {
              event: {
                type: 'company.updated@1',
                data: { n, name, veeamId: null, notify: [], applications },
              },
              company: n,
              entity: `company:${n}`,
            },
          ],
          { actor: { kind: 'clock' }, subject: null, commandId: null, at: context.clock.now() },
        );
        return n;
      }),
    async connect(address, more = {}) {
      const made = await handlers.createConnection(
        {
          kind: 'vspc',
          name: 'Console',
          address,
          companyN: null,
          everySec: 300,
          enabled: true,
          certificate: null,
          credentials: { kind: 'key', secret: KEY },
          ...more,
        },
        ask(),
      );
      if (!made.ok) throw new Error(JSON.stringify(made.failure));
      return getId(made.value);
    },
    async round(ms = 0) {
      place.ground.pass(ms);
      await field.collectors.tick();
    },
    runs: async () => {
      const runs = await place.all('run');
      return runs.toSorted((a, b) => a.n - b.n);
    },
    listConnections: () => handlers.listConnections({}, ask()),
  };
  return field;
}

export const getId = ({ _id }: { readonly _id: string }): string => _id;
