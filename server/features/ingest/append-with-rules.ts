import type { Ms, UserId } from '#contract/ids.ts';
import { formatMoment } from '#contract/i18n/moment.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import { STATE_WORDS } from '#contract/reports/report.messages.en.ts';
import type { UserRow } from '#contract/users/rows.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { DecidedResults } from './decision-state.ts';
import { applyRules, type RuleNotice } from './apply-rules.ts';
import { readyRules } from '../rules/active-rules.ts';
import { loadUserLanguage } from '../../platform/tenancy/reader-language.ts';
import { ruleMailMessages as t } from './rule-mail.messages.en.ts';

/**
 * Appends the events decided for results and, in the same transaction, the effects of the rules
 * (RULES-3).
 */
export async function appendWithRules(
  context: AppContext,
  tx: TenantTx,
  { folded, state, taken }: DecidedResults,
  at: Ms,
): Promise<void> {
  const { decided: actions, notices } = applyRules(state, await readyRules(tx), folded.events, at);
  await tx.appendFolded(folded, taken);
  await tx.appendFolded(actions.folded, actions.taken);
  if (notices.length > 0) await notify(context, tx, notices, at);
}

const MAX_LINES = 50;

/**
 * Sends one email per user, regardless of the number of results, and only to users who can see
 * them.
 */
async function notify(
  context: AppContext,
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
      ({ users: request, job }) => request.includes(id) && sees(users, id, job.company),
    );
    const [first] = own;
    if (!first || email === null || email === '') continue;
    const mail = withLanguage(await loadUserLanguage(tx, id), () => {
      const shown = own.slice(0, MAX_LINES);
      const more = own.length - shown.length;
      return {
        subject: line(
          own.length === 1
            ? t.oneSubject({ state: STATE_WORDS[first.problem.state], job: first.job.name })
            : t.subject({ count: own.length }),
        ),
        text: `${[
          ...shown.map((notice) =>
            noticeLines(notice, companies.get(notice.job.company)?.name ?? ''),
          ),
          ...(more > 0 ? [t.more({ count: more })] : []),
          t.asOf({ when: formatMoment(at) }),
        ].join('\n\n')}\n`,
      };
    });
    await post(tx, context, { kind: 'mail', to: email, ...mail });
  }
}

function noticeLines({ rule, job, run, problem }: RuleNotice, company: string): string {
  const named = { state: STATE_WORDS[problem.state], job: job.name, company };
  return [
    job.computer === ''
      ? t.result(named)
      : t.resultOnComputer({ ...named, computer: job.computer }),
    `  ${run.message ?? ''}`,
    `  ${t.started({ when: formatMoment(run.startedAt), rule: rule.name })}`,
  ].join('\n');
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
