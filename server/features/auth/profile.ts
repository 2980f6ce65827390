import { isDeepStrictEqual } from 'node:util';
import type { Updateable } from 'kysely';
import type { profileCalls } from '#contract/auth/profile-calls.ts';
import { preferenceId } from '#contract/auth/preferences.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { NewEvent } from '#contract/events.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { isTimeZone } from '#contract/time/day.ts';
import { audit } from '../../platform/auth/audit.ts';
import { by } from '../../platform/auth/guards.ts';
import { NOT_FOUND } from '../../platform/http/envelope.ts';
import type { SessionContext, Handlers, Principal } from '../../platform/http/handler.ts';
import { endLinks } from '../../platform/crypto/one-time-secrets.ts';
import type { PersonTable } from '../../platform/db/database-account.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { isPlainUsername, isUsernameTaken, usernameKey } from '../../platform/auth/usernames.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { endEmailLinks, sendEmailLink } from '../../platform/auth/email-confirmation.ts';
import { tellChange } from './mails.ts';
import { loadProfile, loadTheme } from './profile-read.ts';
import { authMessages } from './messages.en.ts';

/**
 * Returns the session if the id is its user's own; any other id returns null, whether or not it
 * exists (PROFILE-1).
 */
export function ownId({ session }: SessionContext, id: string): Principal | null {
  return id.toLowerCase() === session.userId ? session : null;
}

/** PROFILE-1 to PROFILE-3: users see and change their own profile. */
export function profileHandlers(
  context: AppContext,
): Pick<Handlers, Extract<keyof typeof profileCalls, 'readProfile' | 'editProfile'>> {
  return {
    async readProfile({ id }, ctx) {
      const session = ownId(ctx, id);
      return session
        ? ok(
            await context.store.tenant(ctx.tenant, (tx) => loadProfile(tx, session, ctx.now), {
              readOnly: true,
            }),
          )
        : failed(NOT_FOUND);
    },

    async editProfile({ id, ...sent }, ctx) {
      const session = ownId(ctx, id);
      if (!session) return failed(NOT_FOUND);
      return context.store.tenant(ctx.tenant, async (tx) => {
        await tx.lock(); // the second of two users who choose the same name gets the conflict
        const edit = await editProfile(tx, session, sent);
        if ('kind' in edit) return failed(edit);
        const { change, settings, changed } = edit;
        const needsFactor = changed.some((field) => SENSITIVE.has(field));
        if (needsFactor && ctx.now - session.authenticatedAt > LIMITS.freshMs)
          return failed({ kind: 'reauth_required', message: MESSAGES.reauth });
        if (
          change.username !== undefined &&
          (await isUsernameTaken(tx, change.username, session.userId))
        )
          return failed({ kind: 'conflict', message: MESSAGES.usernameTaken });
        const { email } = await tx.sql
          .selectFrom('person')
          .select('email')
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', session.userId)
          .executeTakeFirstOrThrow();
        if (changed.length > 0) {
          await tx.sql
            .updateTable('person')
            .set({
              ...change,
              ...(change.email !== undefined && { email_verified: false }),
              settings: JSON.stringify(settings),
              ...(sent.ackO365TermsOfUse === true && { terms_at: ctx.now }),
              ...(change.username !== undefined && { username_key: usernameKey(change.username) }),
            })
            .where('tenant_id', '=', tx.tenant)
            .where('id', '=', session.userId)
            .execute();
          await audit(tx, context, ctx, {
            what: 'profile.changed',
            user: session.userId,
            detail: { fields: changed.join(',') },
          });
          if (changed.includes('ackO365TermsOfUse'))
            await audit(tx, context, ctx, { what: 'terms.accepted', user: session.userId });
        }
        // The notice goes to the previous address, so that its owner learns of a change by someone
        // else.
        if (changed.includes('email')) {
          await tellChange(tx, context, session.userId, email, 'email');
          await endLinks(tx, session.userId, ctx.now);
          await endEmailLinks(tx, session.userId, ctx.now);
          if (sent.email !== undefined)
            await sendEmailLink(tx, context, ctx, session.userId, sent.email);
        }
        if (changed.includes('username'))
          await tellChange(tx, context, session.userId, email, 'username');
        if (changed.includes('mobilePhone') || changed.includes('officePhone'))
          await tellChange(tx, context, session.userId, email, 'phone');
        const drafts = [
          ...aboutUser(session, changed),
          ...(await aboutTheme(tx, session, sent.theme)),
        ];
        await tx.append(drafts, by(ctx));
        return ok(await loadProfile(tx, session, ctx.now));
      });
    },
  };
}

type Sent = Omit<ParsedInputOf<'editProfile'>, 'id'>;
/** The changed columns of an account. */
type Columns = Updateable<
  Pick<
    PersonTable,
    'name' | 'username' | 'email' | 'mobile_phone' | 'office_phone' | 'language' | 'time_zone'
  >
>;
const COLUMNS = {
  name: 'name',
  username: 'username',
  email: 'email',
  mobilePhone: 'mobile_phone',
  officePhone: 'office_phone',
  language: 'language',
  timeZone: 'time_zone',
} as const;
const SENSITIVE: ReadonlySet<string> = new Set(['username', 'email', 'mobilePhone', 'officePhone']);

/** Returns the fields whose value differs from the stored one. */
async function editProfile({ tenant, sql }: TenantTx, { userId }: Principal, sent: Sent) {
  const person = await sql
    .selectFrom('person')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (sent.timeZone && !isTimeZone(sent.timeZone))
    return refused('timeZone', authMessages.timeZoneExpected);
  if (person.auth === 'ad' && sent.username !== undefined && sent.username !== person.username)
    return refused('username', MESSAGES.nameByDirectory);
  const changed = (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).filter(
    (field) => sent[field] !== undefined && sent[field] !== person[COLUMNS[field]],
  );
  if (changed.includes('username') && !isPlainUsername(sent.username ?? ''))
    return refused('username', MESSAGES.usernameNotPlain);
  const change: Columns = Object.fromEntries(changed.map((field) => [COLUMNS[field], sent[field]]));
  const settings = {
    ...person.settings,
    ...(sent.notices && { notices: { ...person.settings.notices, ...sent.notices } }),
    ...(sent.wizardPromptDismissed !== undefined && {
      wizardPromptDismissed: sent.wizardPromptDismissed,
    }),
  };
  const more = [
    ...(sent.notices ? ['notices'] : []),
    ...(sent.wizardPromptDismissed !== undefined ? ['wizardPromptDismissed'] : []),
    ...(sent.ackO365TermsOfUse === true && person.terms_at === null ? ['ackO365TermsOfUse'] : []),
  ];
  return { change, settings, changed: [...changed, ...more] };
}

const refused = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message: MESSAGES.editProfile,
  issues: [{ path, message }],
});

/** Records only the names of the changed fields, never their values. */
function aboutUser({ userId }: Principal, changed: readonly string[]): NewEvent[] {
  return changed.length === 0
    ? []
    : [
        {
          event: { type: 'user.updated@1', data: { id: userId, fields: [...changed] } },
          company: null,
          entity: `user:${userId}`,
        },
      ];
}

/**
 * The theme is a preference and the same on every device. Omitted fields keep their value, so a
 * client can send a single field.
 */
async function aboutTheme(
  tx: TenantTx,
  { userId }: Principal,
  sent: Sent['theme'],
): Promise<NewEvent[]> {
  if (sent === undefined) return [];
  const stored = await loadTheme(tx, userId);
  const theme = { ...stored, ...sent };
  if (isDeepStrictEqual(theme, stored)) return [];
  return [
    {
      event: {
        type: 'user.preferenceSaved@1',
        data: { id: userId, name: 'theme', value: JSON.stringify(theme) },
      },
      company: null,
      entity: `preference:${preferenceId(userId, 'theme')}`,
    },
  ];
}
