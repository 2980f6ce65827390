import { OWN_PRIORITIES, OWN_STATUSES, type TicketStatus } from '#contract/tickets/tickets.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Ms } from '#contract/ids.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { EventMeta } from '../platform/db/store.ts';
import type { AppContext } from '../platform/app-context.ts';
import { mixed } from './random.ts';
import type { ProviderPlan } from './plan.ts';

/** How many ticket numbers of open and of closed problems become tickets, newest first. */
const OPEN = 10;
const OVER = 5;
const SINCE: Ms = 2 * 3_600_000;

/**
 * Creates the tickets that technicians referenced in the history, once, so that the tickets page
 * starts with open and closed tickets.
 */
export const openTickets = (context: AppContext, plan: ProviderPlan): Promise<void> =>
  context.store.tenant(plan.id, async (tx) => {
    await tx.lock();
    const { sql, tenant } = tx;
    if (
      await sql.selectFrom('ticket').select('id').where('tenant_id', '=', tenant).executeTakeFirst()
    )
      return;
    const who = await sql
      .selectFrom('person')
      .select(['id', 'name'])
      .where('tenant_id', '=', tenant)
      .where('username', '=', 'operator')
      .executeTakeFirst();
    if (!who) return;
    const by: EventMeta = {
      actor: { kind: 'user', id: who.id },
      subject: null,
      commandId: null,
      at: context.clock.now() - SINCE,
    };
    const causes = new Map((await tx.all('cause')).map((cause) => [cause.n, cause.template]));
    const named = getGroups((await tx.all('problem')).filter((one) => one.ticket !== null));
    const open = named
      .filter((group) => group.some(({ closedAt }) => closedAt === null))
      .slice(0, OPEN);
    const over = named
      .filter((group) => group.every(({ closedAt }) => closedAt !== null))
      .slice(0, OVER);
    const drafts = [...over, ...open].flatMap((group, index): NewEvent[] => {
      const [first] = group;
      if (!first) return [];
      const turn = mixed(plan.seed, first.n, index);
      const closed = index < over.length;
      const problems = group.map(({ n }) => n);
      const id = context.chance.uuid();
      const number = index + 1;
      const status = closed
        ? OWN_STATUSES.find((one) => one.closed)
        : OWN_STATUSES.filter((one) => !one.closed)[turn % 3];
      const begin = OWN_STATUSES[0];
      if (!status || !begin) return [];
      const subject = (causes.get(first.cause) ?? 'Backups fail').slice(0, 100);
      const owner = turn % 2 === 0 ? { id: who.id, name: who.name } : null;
      const about = (event: NewEvent['event']): NewEvent => ({
        event,
        company: first.company,
        entity: `ticket:${id}`,
      });
      const of = (event: NewEvent['event']): NewEvent => ({
        event,
        company: first.company,
        entity: problems.length === 1 ? `problem:${problems[0]}` : 'problem:*',
      });
      return [
        about({
          type: 'ticket.created@1',
          data: {
            id,
            number,
            company: first.company,
            system: 'own',
            contact: null,
            subject,
            description: '',
            status: begin,
            priority: OWN_PRIORITIES[turn % 3] ?? null,
            owner,
          },
        }),
        of({ type: 'problem.ticketSet@1', data: { problems, ticket: `D-${number}` } }),
        of({
          type: 'problem.ticketLinked@1',
          data: { problems, linkedTicket: { id, open: !closed, url: null } },
        }),
        ...changed(id, status, begin, about),
      ];
    });
    await tx.append(drafts, by);
  });

const changed = (
  id: string,
  status: TicketStatus,
  begin: TicketStatus,
  about: (event: NewEvent['event']) => NewEvent,
): NewEvent[] =>
  status.id === begin.id
    ? []
    : [
        about({
          type: 'ticket.updated@1',
          data: { id, by: status.closed ? 'success' : 'person', status },
        }),
      ];

/** Returns the problems of one company grouped by ticket number, the newest first. */
function getGroups(problems: readonly ProblemRow[]): readonly (readonly ProblemRow[])[] {
  const groups = new Map<string, ProblemRow[]>();
  for (const one of problems.toSorted((a, b) => b.n - a.n))
    groups.set(`${one.company} ${one.ticket}`, [
      ...(groups.get(`${one.company} ${one.ticket}`) ?? []),
      one,
    ]);
  return [...groups.values()];
}
