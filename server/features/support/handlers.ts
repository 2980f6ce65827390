import { getLastError } from '#contract/last-error.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import type { SupportContext, SupportOut } from '#contract/support/calls.ts';
import { SUPPORT_PARTS, SUPPORT_WORDS } from '#contract/support/calls.ts';
import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { failed, ok } from '#contract/result.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { FORBIDDEN } from '../../platform/http/envelope.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { outgoingStates } from '../../platform/mail/outgoing-states.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import { loadUserLanguage } from '../../platform/tenancy/reader-language.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { supportMailMessages as t } from './messages.en.ts';

/** SUPPORT-1 to SUPPORT-3: emails requests to the portal's support, and returns their state. */
export const supportHandlers = (
  context: AppContext,
): Pick<Handlers, 'sendSupport' | 'listSupport'> => ({
  sendSupport: ({ subject, message, context: details = {} }, ctx) =>
    context.store.tenant(ctx.tenant, async (tx) => {
      const { userId } = ctx.session;
      const { sql, tenant } = tx;
      const portal = await loadPortal(tx);
      if (!portal.on) return failed(FORBIDDEN);
      if (portal.to === null)
        return failed({ kind: 'conflict', message: MESSAGES.supportNoAddress });
      // Serializes concurrent requests for the limit.
      await tx.lock();
      const last = await sql
        .selectFrom('support_request')
        .select('at')
        .where('tenant_id', '=', tenant)
        .where('user_id', '=', userId)
        .where('at', '>', ctx.now - HOUR_MS)
        .orderBy('at')
        .execute();
      const [first] = last;
      if (first && last.length >= LIMITS.supportPerHour)
        return failed({
          kind: 'too-many',
          message: MESSAGES.supportTooMany({ max: LIMITS.supportPerHour }),
          retryAfterMs: first.at + HOUR_MS - ctx.now,
        });
      const person = await sql
        .selectFrom('person')
        .select(['name', 'username', 'email', 'email_verified'])
        .where('tenant_id', '=', tenant)
        .where('id', '=', userId)
        .executeTakeFirstOrThrow();
      const text = supportText(message, details);
      const id = context.chance.uuid();
      const address = person.email ?? '';
      const mail = await post(tx, context, {
        kind: 'mail',
        to: portal.to,
        ...withLanguage(await loadUserLanguage(tx, null), () => ({
          subject: t.subject({ portal: portal.name, subject }).replaceAll(/\p{Cc}+/gu, ' '),
          text: `${supportText(message, details)}\n\n${from(person)}`,
        })),
        ...(address !== '' && person.email_verified && { replyTo: address }),
      });
      await sql
        .deleteFrom('support_request')
        .where('tenant_id', '=', tenant)
        .where('at', '<', ctx.now - LIMITS.supportKeepMs)
        .execute();
      await sql
        .insertInto('support_request')
        .values({
          tenant_id: tenant,
          id,
          user_id: userId,
          at: ctx.now,
          subject,
          text,
          state: 'waiting',
          fault: null,
          mail_id: mail,
        })
        .execute();
      return ok<SupportOut>({
        _id: id,
        at: ctx.now,
        subject,
        text,
        state: 'waiting',
        ...getLastError(null),
      });
    }),

  listSupport: ({ page = 1, pageSize = PAGE_SIZE }, ctx) =>
    context.store.tenant(ctx.tenant, async (tx) => {
      const { userId } = ctx.session;
      const { sql, tenant } = tx;
      if (!(await loadPortal(tx)).on) return failed(FORBIDDEN);
      await settle(tx, userId);
      const own = sql
        .selectFrom('support_request')
        .where('tenant_id', '=', tenant)
        .where('user_id', '=', userId);
      const { count } = await own
        .select((e) => e.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      const rows = await own
        .select(['id', 'at', 'subject', 'text', 'state', 'fault'])
        .orderBy('at', 'desc')
        .orderBy('id')
        .limit(pageSize)
        .offset((page - 1) * pageSize)
        .execute();
      return ok({
        rows: rows.map(({ id, fault: error, ...row }): SupportOut => ({
          _id: id,
          ...row,
          ...getLastError(error),
        })),
        count,
        page,
        pageSize,
      });
    }),
});

/** Returns the user's message, followed by the page's context, one line each. */
function supportText(message: string, context: SupportContext): string {
  const details = SUPPORT_PARTS.flatMap((part) =>
    context[part] === undefined || context[part] === ''
      ? []
      : [t.detail({ name: SUPPORT_WORDS[part], value: context[part] })],
  );
  return details.length === 0 ? message : `${message}\n\n${details.join('\n')}`;
}

/** Names the sender for the support, who knows no ids. */
const from = ({
  name,
  username,
  email,
  email_verified,
}: {
  readonly name: string;
  readonly username: string;
  readonly email: string | null;
  readonly email_verified: boolean;
}): string =>
  email === null || email === ''
    ? t.fromWithoutAddress({ name, username })
    : (email_verified ? t.from : t.fromUnconfirmed)({ name, username, address: email });

/** Stores the state of sent emails, because the outgoing messages are deleted after a week. */
async function settle(tx: TenantTx, userId: UserId): Promise<void> {
  const { sql, tenant } = tx;
  const open = await sql
    .selectFrom('support_request')
    .select(['id', 'mail_id'])
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('state', '=', 'waiting')
    .execute();
  if (open.length === 0) return;
  const mails = await outgoingStates(
    tx,
    open.map((one) => one.mail_id),
  );
  for (const one of open) {
    const mail = mails.get(one.mail_id);
    const state =
      mail === undefined
        ? 'unknown'
        : mail.sent_at !== null
          ? 'sent'
          : mail.next_at !== null
            ? 'waiting'
            : mail.fault === null
              ? 'kept'
              : 'failed';
    if (state !== 'waiting')
      await sql
        .updateTable('support_request')
        .set({ state, fault: mail?.fault ?? null })
        .where('tenant_id', '=', tenant)
        .where('id', '=', one.id)
        .execute();
  }
}

/** Returns whether requests are enabled, and their recipient. */
async function loadPortal({
  sql,
  tenant,
}: TenantTx): Promise<{ readonly on: boolean; readonly to: string | null; readonly name: string }> {
  const {
    branding: { features, supportEmail, name },
  } = await sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const { enabled, links } = features.supportSection;
  return { on: enabled && links.request, to: supportEmail, name };
}
