import type { NewEvent } from '#contract/events.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { STATE_NAMES } from '#contract/rules/rules.ts';
import type { UserRow } from '#contract/users/rows.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import type { By, Numbers, TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { DecisionState } from './decide.ts';
import { applyRules, type RuleNotice } from './apply-rules.ts';
import { readyRules } from '../rules/active-rules.ts';

/**
 * Appends the events decided for results and, in the same transaction, the effects of the rules
 * (RULES-3).
 */
export async function appendWithRules(
  world: AppContext,
  tx: TenantTx,
  ground: DecisionState,
  drafts: readonly NewEvent[],
  by: By,
  taken: Partial<Numbers>,
): Promise<void> {
  const { deeds, notices } = applyRules(ground, await readyRules(tx), drafts, by.at);
  if (deeds.length === 0) await tx.append(drafts, by, taken);
  else
    await tx.append(
      [...drafts, ...deeds.map(({ draft }) => draft)],
      [
        ...drafts.map(() => by),
        ...deeds.map(({ actor }): By => ({ actor, subject: null, commandId: null, at: by.at })),
      ],
      taken,
    );
  if (notices.length > 0) await notify(world, tx, notices, by.at);
}

const MOST_LINES = 50;

/**
 * Sends one email per user, regardless of the number of results, and only to users who can see
 * them.
 */
async function notify(
  world: AppContext,
  tx: TenantTx,
  notices: readonly RuleNotice[],
  at: Ms,
): Promise<void> {
  const ids = [...new Set(notices.flatMap(({ users }) => users))];
  const users = await tx.rows('user', ids);
  const people = await tx.sql
    .selectFrom('person')
    .select(['id', 'email'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', ids)
    .where('email_verified', '=', true)
    .execute();
  const companies = await tx.rows('company', [...new Set(notices.map(({ job }) => job.company))]);
  for (const { id, email } of people) {
    const own = notices.filter(
      ({ users: asked, job }) => asked.includes(id) && sees(users, id, job.company),
    );
    const [first] = own;
    if (!first || email === null || email === '') continue;
    const lines = own
      .slice(0, MOST_LINES)
      .map(
        ({ rule, job, run, problem }) =>
          `${STATE_NAMES[problem.state]}: ${job.name}${job.computer === '' ? '' : ` on ${job.computer}`}, ${companies.get(job.company)?.name ?? ''}\n  ${run.message ?? ''}\n  Started ${new Date(run.startedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC. Rule: ${rule.name}`,
      );
    const more = own.length - lines.length;
    await post(tx, world, {
      kind: 'mail',
      to: email,
      subject: line(
        own.length === 1
          ? `${STATE_NAMES[first.problem.state]}: ${first.job.name}`
          : `${own.length} results that you asked to be told of`,
      ),
      text: `${lines.join('\n\n')}${more > 0 ? `\n\nand ${more} more.` : ''}\n\nAs of ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC. A rule is told once of each problem.\n`,
    });
  }
}

/** Makes an email subject of one line. */
const line = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 150);

const sees = (
  users: ReadonlyMap<number | string, UserRow>,
  id: UserId,
  company: number,
): boolean => {
  const user = users.get(id);
  return (
    user !== undefined &&
    user.deletedAt === null &&
    (user.companies === null || user.companies.includes(company))
  );
};
