import { sql } from 'kysely';
import { listStoredTypes } from '#contract/former-events.ts';
import { ticketNumber } from '#contract/tickets/tickets.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { CauseRow, JobRow, ProblemRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { isoOrNull } from '#server/platform/queries/run-details.ts';
import { toOneLine } from './fact.ts';
import type { NotificationFact } from './fact.ts';
import { notificationMessages as t } from './messages.en.ts';

/**
 * NOTIFY-1: returns the facts in the log between two events. Problems that a rule excepts or has
 * snoozed are left out.
 */
export async function findNewFacts(
  tx: TenantTx,
  after: number,
  to: number,
  now: Ms,
): Promise<readonly NotificationFact[]> {
  const { rows } = await sql<{
    kind: 'problem' | 'ticket';
    id: string;
  }>`select case when type = 'problem.opened@1' then 'problem' else 'ticket' end as kind, case when type = 'problem.opened@1' then data->>'n' else data->>'id' end as id
    from event where tenant_id = ${tx.tenant} and seq > ${after} and seq <= ${to}
      and ((type = 'problem.opened@1' and data->>'state' in ('Failed', 'Error', 'Missed')) or (type in (${sql.join(listStoredTypes(['ticket.updated@1']))}) and data->>'by' = 'system' and data->'status'->>'closed' = 'true')) order by seq`.execute(
    tx.sql,
  );
  const problems = await tx.rows(
    'problem',
    rows.flatMap(({ kind, id }) => (kind === 'problem' ? [Number(id)] : [])),
  );
  const open = [...problems.values()].filter(
    ({ exception, snooze }) =>
      (exception ?? null) === null && (snooze === null || snooze.until <= now),
  );
  return [
    ...(await problemFacts(tx, open)),
    ...(await ticketFacts(tx, [
      ...new Set(rows.flatMap(({ kind, id }) => (kind === 'ticket' ? [id] : []))),
    ])),
  ];
}

export async function problemFacts(
  tx: TenantTx,
  problems: readonly ProblemRow[],
): Promise<readonly NotificationFact[]> {
  const jobs = await tx.rows('job', [...new Set(problems.map(({ job }) => job))]);
  const causes = await tx.rows('cause', [...new Set(problems.map(({ cause }) => cause))]);
  const names = await loadCompanies(tx, problems);
  return problems.flatMap((problem) => {
    const job = jobs.get(problem.job);
    return job
      ? [problemFact(problem, job, causes.get(problem.cause), names.get(problem.company) ?? '')]
      : [];
  });
}

function problemFact(
  { n, company, state, lastRun, openedAt, runs }: ProblemRow,
  job: JobRow,
  cause: CauseRow | undefined,
  companyName: string,
): NotificationFact {
  const category = state === 'Missed' ? 'missed' : 'failed';
  return {
    category,
    subject: `problem:${n}`,
    companies: [company],
    link: runLink(lastRun),
    line: () => {
      const named = {
        company: companyName,
        job:
          job.computer === '' ? job.name : t.onComputer({ job: job.name, computer: job.computer }),
        runs,
      };
      return toOneLine(
        category === 'missed'
          ? t.problem(named)
          : t.problemWithCause({ ...named, cause: cause?.template ?? state }),
      );
    },
    data: {
      problem: n,
      company: { n: company, name: companyName },
      job: {
        uid: job.uid,
        name: job.name,
        computer: job.computer,
        source: job.source,
        type: job.type,
      },
      state,
      cause: cause?.template ?? null,
      since: isoOrNull(openedAt),
    },
  };
}
const runLink = (run: number): string =>
  `/monitoring/daily-checks?review=any&date=last-30&run=${run}`;

/** Returns facts for tickets that the ticketing system has closed. */
export async function ticketFacts(
  tx: TenantTx,
  ids: readonly string[],
): Promise<readonly NotificationFact[]> {
  const tickets = [...(await tx.rows('ticket', ids)).values()].filter(
    ({ deletedAt, closedAt, closedBy }) =>
      deletedAt === null && closedAt !== null && closedBy === 'system',
  );
  const names = await loadCompanies(tx, tickets);
  return tickets.map((ticket): NotificationFact => {
    const { id, company, subject, closedAt } = ticket;
    const number = ticketNumber(ticket);
    const companyName = names.get(company) ?? '';
    return {
      category: 'ticket',
      subject: `ticket:${id}:${closedAt ?? 0}`,
      companies: [company],
      link: `/monitoring/tickets?state=all&ticket=${id}`,
      line: () => toOneLine(t.ticketClosed({ company: companyName, number, subject })),
      data: {
        ticket: { id, number, subject },
        company: { n: company, name: companyName },
        closedAt: isoOrNull(closedAt),
      },
    };
  });
}

async function loadCompanies(
  tx: TenantTx,
  of: readonly { readonly company: CompanyN }[],
): Promise<ReadonlyMap<CompanyN, string>> {
  const rows = await tx.rows('company', [...new Set(of.map(({ company }) => company))]);
  return new Map([...rows.values()].map(({ n, name }) => [n, name]));
}
