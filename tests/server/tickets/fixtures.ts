import type { TicketFormOut, TicketOut, TicketWhole } from '#contract/tickets/calls.ts';
import { NO_TICKETING, type Ticketing } from '#contract/tickets/ticketing.ts';
import type { TicketingState } from '#contract/tickets/ticketing-calls.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import type { Fixture } from '../http/fixtures.ts';
import { person } from '../ingest/people.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { ticketTicks } from '../jobs/ticks.ts';

export const HOUR = 3_600_000;
export const TICKETS = 'monitoring/backoffice/tickets';
export const TICKETING = 'monitoring/backoffice/ticketing';
export type Made = TicketWhole & { readonly id: string };
const named = ({ _id: id, ...rest }: TicketWhole): Made => ({ _id: id, id, ...rest });
interface Paged<T> {
  readonly rows: T[];
  readonly count: number;
}

/** A provider with two companies, its people, and what its results ask. */
export interface Desk {
  readonly office: Office;
  readonly dana: Asker;
  readonly cora: Asker;
  readonly rita: Asker;
  readonly adam: Asker;
  fails(job: string, more?: object, company?: 1 | 2): Promise<ProblemRow>;
  succeeds(job: string, company?: 1 | 2): Promise<void>;
  /** Of that number. */
  problem(n: number): Promise<ProblemRow>;
  /** The one that is open at a job. */
  openAt(job: string): Promise<ProblemRow | undefined>;
  make(
    problems: readonly number[],
    more?: object,
    who?: Asker,
    headers?: Record<string, string>,
  ): Promise<Made>;
  ticket(id: string): Promise<Made>;
  list(query?: string, who?: Asker): Promise<Paged<TicketOut>>;
  form(company: number): Promise<TicketFormOut>;
  connect(settings: Partial<Ticketing>, secret?: string): Promise<TicketingState>;
  map(company: number, id: string, name: string): Promise<void>;
  tick(): Promise<void>;
}

async function must<T>(
  who: Asker,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const answer = await who<T>(method, path, body, headers);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body.data;
}

/** Dana works on all companies, Cora on the first alone, Rita reads, Adam keeps the connection. */
export async function aDesk(fixture: Fixture): Promise<Desk> {
  const office = await anOffice(fixture);
  const iso = (): string => new Date(fixture.context.clock.now() - 60_000).toISOString();
  const dana = await person(office, 'dana', 'operator');
  const [cora, rita, adam] = [
    await person(office, 'cora', 'operator', [1]),
    await person(office, 'rita', 'read-only'),
    await person(office, 'adam', 'admin'),
  ];
  const booted = async (): Promise<Bootstrap> =>
    (await dana<Bootstrap>('GET', 'sync/bootstrap')).body.data;
  const desk: Desk = {
    office,
    dana,
    cora,
    rita,
    adam,
    async fails(job, more = {}, company = 1) {
      fixture.pass(HOUR);
      await office.post(company, [{ ...failure(job, iso()), ...more }]);
      const open = await desk.openAt(job);
      if (!open) throw new Error('no problem');
      return open;
    },
    async succeeds(job, company = 1) {
      fixture.pass(HOUR);
      await office.post(company, [
        { job, computer: `${job}-pc`, status: 'Success', startTime: iso(), endTime: iso() },
      ]);
    },
    async problem(n) {
      const found = (await booted()).problems.find((one) => one.n === n);
      if (!found) throw new Error('no such problem');
      return found;
    },
    async openAt(job) {
      const { jobs, problems } = await booted();
      const open = jobs.find(({ name }) => name === job)?.problem;
      return problems.find(({ n }) => n === open);
    },
    make: async (problems, more = {}, who = dana, headers = {}) =>
      named(
        await must<TicketWhole>(
          who,
          'POST',
          TICKETS,
          { problems, subject: 'Backups fail', ...more },
          headers,
        ),
      ),
    ticket: async (id) => named(await must<TicketWhole>(dana, 'GET', `${TICKETS}/${id}`)),
    list: (query = '', who = dana) => must(who, 'GET', `${TICKETS}${query}`),
    form: (company) => must(dana, 'GET', `${TICKETS}/form?company=${company}`),
    connect: (settings, secret) =>
      must(adam, 'PUT', TICKETING, {
        settings: { ...NO_TICKETING, ...settings },
        ...(secret === undefined ? {} : { secret }),
      }),
    map: async (company, id, name) => {
      await must(adam, 'PUT', `${TICKETING}/companies`, {
        pairs: [{ company, remote: { id, name } }],
      });
    },
    async tick() {
      const one = ticketTicks(fixture.context);
      await one.tick();
      await one.stop();
    },
  };
  return desk;
}
