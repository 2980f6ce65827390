import type { RestoreDecision, RestoreRequestRow } from '#contract/restore/requests.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import { formatMoment } from '#contract/i18n/moment.ts';
import type { CompanyN, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Notification } from '#contract/notifications/notices.ts';
import type { UserRow } from '#contract/users/rows.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { loadMailAddress } from '#server/platform/auth/email-confirmation.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import { mayRestore } from '../scope.ts';
import { oversightMessages as t } from './messages.en.ts';
import { loadNames, loadTargetName } from './names.ts';

/** G71: informs the customers, and those who can approve it, about a restore. */
export async function informOfRequest(
  tx: TenantTx,
  context: AppContext,
  row: Omit<RestoreRequestRow, 'requestedAt' | 'decision'>,
  isUndo = false,
): Promise<void> {
  const companies = await loadCompanies(tx, row);
  const users = (await listUsers(tx)).filter(({ id }) => id !== row.user);
  const approvers =
    row.expiresAt === null ? [] : users.filter((user) => canApprove(user, row, companies));
  const facts = {
    ...(await loadFacts(tx, row)),
    items: row.items,
    target: await loadTargetName(tx, row.target),
  };
  const link = await loadLink(tx, context, row);
  const { expiresAt, reason } = row;
  for (const user of withoutDoubles([...approvers, ...listCustomers(users, companies)]))
    await inform(tx, context, user, link.path, () => {
      const isApprover = approvers.includes(user);
      const { target } = facts;
      const restores = target === null ? t.toOriginal(facts) : t.toOther({ ...facts, target });
      const head = isUndo ? t.undone(facts) : restores;
      return {
        subject: isApprover ? t.approvalSubject(facts) : t.requestedSubject(facts),
        lines: [
          head,
          t.reason({ reason }),
          ...(expiresAt === null ? [] : [t.waits({ until: formatMoment(expiresAt) })]),
          ...(isApprover && link.url !== null ? [t.approveAt({ link: link.url })] : []),
        ],
        notice: isApprover ? t.approvalSubject(facts) : head,
        severity: isApprover ? 'warning' : 'info',
      };
    });
}

/** Informs who asked for a restore, and the customers, about what a second person decided. */
export async function informOfDecision(
  tx: TenantTx,
  context: AppContext,
  row: RestoreRequestRow,
  { decision, user: decider, reason }: NonNullable<RestoreRequestRow['decision']>,
): Promise<void> {
  const companies = await loadCompanies(tx, row);
  const users = await listUsers(tx);
  const facts = await loadFacts(tx, row);
  const by =
    decider === null ? '' : ((await loadNames(tx, [decider])).get(decider) ?? t.formerUser);
  const link = await loadLink(tx, context, row);
  const requester = users.filter(({ id }) => id === row.user);
  for (const user of withoutDoubles([...requester, ...listCustomers(users, companies)])) {
    if (user.id === decider) continue;
    await inform(tx, context, user, link.path, () => {
      const [subject, sentence] = getTexts(decision, { ...facts, by });
      return {
        subject,
        lines: [sentence, ...(reason === null ? [] : [t.reason({ reason })])],
        notice: sentence,
        severity: decision === 'approved' ? 'success' : 'warning',
      };
    });
  }
}

/** The subject and the sentence about a decision. */
function getTexts(
  decision: RestoreDecision,
  facts: Facts & { readonly by: string },
): readonly [string, string] {
  switch (decision) {
    case 'approved':
      return [t.approvedSubject(facts), t.approved(facts)];
    case 'rejected':
      return [t.rejectedSubject(facts), t.rejectedBy(facts)];
    case 'withdrawn':
      return [t.withdrawnSubject(facts), t.withdrawnBy(facts)];
    case 'expired':
      return [t.expiredSubject(facts), t.expiredAll(facts)];
  }
}

interface Facts {
  readonly user: string;
  readonly organization: string;
}
async function loadFacts(
  tx: TenantTx,
  { user, organization }: Pick<RestoreRequestRow, 'user' | 'organization'>,
): Promise<Facts> {
  const names = await loadNames(tx, [user]);
  const row = (await tx.rows('organization', [organization])).get(organization);
  return { user: names.get(user) ?? t.formerUser, organization: row?.name ?? '' };
}

const listUsers = async (tx: TenantTx): Promise<readonly UserRow[]> =>
  (await tx.all('user')).filter(({ deletedAt }) => deletedAt === null);

/** The companies whose data is read and written. */
async function loadCompanies(
  tx: TenantTx,
  { organization, target }: Pick<RestoreRequestRow, 'organization' | 'target'>,
): Promise<readonly CompanyN[]> {
  const ids = [organization, ...(target === null ? [] : [target.organization])];
  const rows = await tx.rows('organization', [...new Set(ids)]);
  return [...new Set([...rows.values()].map(({ company }) => company))];
}

/** The users who may restore this and see all companies concerned. */
const canApprove = (
  user: UserRow,
  { workload }: Pick<RestoreRequestRow, 'workload'>,
  companies: readonly CompanyN[],
): boolean =>
  mayRestore(user, workload) &&
  companies.every((n) => user.companies === null || user.companies.includes(n));

/** Administrators of the companies themselves; of the provider, for companies that have none. */
function listCustomers(
  users: readonly UserRow[],
  companies: readonly CompanyN[],
): readonly UserRow[] {
  const administrators = users.filter((user) => hasAbility(user, 'monitoring.users'));
  return companies.flatMap((n) => {
    const own = administrators.filter((user) => user.companies?.includes(n) === true);
    return own.length > 0 ? own : administrators.filter((user) => user.companies === null);
  });
}

const withoutDoubles = (users: readonly UserRow[]): readonly UserRow[] => [...new Set(users)];

async function loadLink(
  tx: TenantTx,
  context: AppContext,
  { workload }: Pick<RestoreRequestRow, 'workload'>,
): Promise<{ readonly path: string; readonly url: string | null }> {
  const path = `/o365/restore/${workload}`;
  const address = await loadPortalAddress(tx, context);
  return { path, url: address === null ? null : `${address}${path}` };
}

interface News extends Pick<Notification, 'severity'> {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly notice: string;
}

/** By email, and above the pages of the portal. */
async function inform(
  tx: TenantTx,
  context: AppContext,
  user: UserRow,
  path: string,
  write: () => News,
): Promise<void> {
  const id: UserId = user.id;
  const news = withLanguage(await loadUserLanguage(tx, id), write);
  const to = await loadMailAddress(tx, id);
  if (to !== null)
    await post(tx, context, {
      kind: 'mail',
      to,
      subject: news.subject.replaceAll(/\s+/g, ' ').slice(0, 150),
      text: `${news.lines.join('\n\n')}\n`,
    });
  const opensSuite = hasAbility(user, 'o365.restorePortal');
  const noticeId = context.chance.uuid();
  const notice: Notification = {
    _id: noticeId,
    app: opensSuite ? 'o365' : 'monitoring',
    severity: news.severity,
    message: news.notice.slice(0, LIMITS.messageChars),
    link: opensSuite ? path : null,
    copy: false,
    event: null,
    hideAck: false,
    hideClose: false,
    userId: id,
    roles: null,
  };
  await tx.sql
    .insertInto('notification')
    .values({
      tenant_id: tx.tenant,
      id: noticeId,
      row: JSON.stringify(notice),
      made_at: context.clock.now(),
      ended_at: null,
    })
    .execute();
}
