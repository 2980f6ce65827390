import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import type { Notification } from '#contract/notifications/notices.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { ok } from '#contract/result.ts';
import { useServerMutation } from '../../worker/server-mutation.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { keepPush } from '../../push-subscription.ts';
import { useCachedQuery } from '../../worker/use-cached-query.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { showSuccess, showFailure } from '../../../ui/toasts.ts';
import { getArea } from '#contract/page-paths.ts';
import { setGone, listUndismissed, useGone } from './dismissed.ts';
import { withReauth } from '../reauth/reauth.ts';
import { SEVERITY_ICONS } from './severity.ts';
import { richText } from '../../../ui/rich-text.tsx';
import { noticeBarMessages as t } from './messages.en.ts';

/**
 * The provider's notices for this user, above the page. A notice that arrives while a page is open
 * appears on the next page, so that the layout does not shift.
 */
export function Notifications({ me }: { readonly me: Me }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const gone = useGone();
  const { value, again } = useCachedQuery(
    'listNotifications',
    { userId: me.id },
    { everyMs: EVERY_MS },
  );
  const { notice: invitation, create } = useInvitation(me);
  const [taken, setTaken] = useState<{
    readonly path: string;
    readonly all: readonly Notification[];
  } | null>(null);
  if (value !== null && taken?.path !== path) setTaken({ path, all: value });
  // Runs once per sign-in: another user remounts this component.
  useEffect(() => {
    if (me.impersonator === null) void keepPush();
  }, [me.impersonator]);
  const shown = listUndismissed(
    [...(invitation === null ? [] : [invitation]), ...(taken?.all ?? [])],
    getArea(path),
    gone,
  );
  if (shown.length === 0) return null;
  return (
    <section aria-label={t.notices} className="max-h-[35dvh] overflow-auto border-b border-rule">
      <ul className="m-0 list-none p-0">
        {shown.map(({ _id: id, ...one }) => (
          <Notice
            key={id}
            id={id}
            notice={one}
            me={me}
            onCreate={id === INVITATION ? create : null}
            onAcknowledged={again}
          />
        ))}
      </ul>
    </section>
  );
}

interface NoticeProps {
  readonly id: string;
  readonly notice: Omit<Notification, '_id'>;
  readonly me: Me;
  readonly onCreate: (() => Promise<void>) | null;
  readonly onAcknowledged: () => void;
}

function Notice({ id, notice, me, onCreate, onAcknowledged }: NoticeProps) {
  const mutation = useServerMutation();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { message, link, copy, event, hideAck, hideClose, severity } = notice;
  const { icon, text, edge, wash } = SEVERITY_ICONS[severity];

  async function acknowledge(): Promise<void> {
    if (mutation.busy) return;
    if (offline) return showFailure(BASE.needsNetwork);
    const answer = await mutation.send(() =>
      client().ask('ackNotification', {
        notificationId: id,
        userId: me.id,
        username: me.username,
        ...(event !== null && { event }),
      }),
    );
    if (!answer.ok && answer.failure.kind !== 'not-found')
      return showFailure(answer.failure.message, () => void acknowledge());
    setGone(id);
    return onAcknowledged();
  }
  async function createLink(): Promise<void> {
    if (offline) return showFailure(BASE.needsNetwork);
    await mutation.send(async () => ok(await onCreate?.()));
  }
  async function take(): Promise<void> {
    try {
      await navigator.clipboard.writeText(new URL(link ?? '', location.href).href);
      showSuccess(BASE.linkCopied);
    } catch {
      showFailure(t.copyBlocked);
    }
  }

  return (
    <li
      className={`flex min-h-11 flex-wrap items-center gap-x-2.5 gap-y-1 border-t border-l-[3px] border-t-hair px-3 py-1.5 first:border-t-0 tablet:px-5 ${edge} ${wash}`}
    >
      <Icon name={icon} className={text} />
      <p className="m-0 min-w-0 grow basis-52 break-words">
        {richText(t.severityAndMessage, {
          severity: <b className={text}>{t[severity]}</b>,
          message,
        })}
        {link !== null && (
          <>
            {' '}
            <a
              href={link}
              {...(link.startsWith('https:') && { target: '_blank', rel: 'noreferrer' })}
              className={`text-accent underline underline-offset-2 ${copy ? '' : 'inline-flex items-center pointer-coarse:min-h-11'}`}
            >
              {copy ? link : t.readMore}
            </a>
          </>
        )}
      </p>
      <span className="flex items-center gap-2">
        {onCreate !== null && link === null && (
          <Button size="sm" icon="plus" busy={mutation.busy} onClick={() => void createLink()}>
            {t.createLink}
          </Button>
        )}
        {copy && link !== null && (
          <Button size="sm" icon="copy" onClick={() => void take()}>
            {t.copyLink}
          </Button>
        )}
        {!hideAck && (
          <Button size="sm" icon="check" busy={mutation.busy} onClick={() => void acknowledge()}>
            {t.gotIt}
          </Button>
        )}
        {!hideClose && (
          <IconButton icon="close" label={t.closeUntilReload} onClick={() => setGone(id)} />
        )}
      </span>
    </li>
  );
}

/**
 * Creates an invitation link for a sub-provider once while the page is open, and stores it nowhere.
 * An invitation requires a recent factor, so some minutes after signing in it is created on request
 * only.
 */
function useInvitation({ id, roles, serviceProviderId, impersonator }: Me): {
  readonly notice: Notification | null;
  readonly create: () => Promise<void>;
} {
  const [link, setLink] = useState(() => (invited?.user === id ? invited.link : null));
  const [isDue, setDue] = useState(false);
  const wanted = roles.includes('sub-sp') && impersonator === null;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  useEffect(() => {
    if (!wanted || offline || link !== null || isDue) return;
    let over = false;
    const make = async (): Promise<void> => {
      const answer = await client().ask('inviteUser', { id: serviceProviderId });
      if (over) return;
      if (!answer.ok) {
        if (answer.failure.kind === 'reauth_required') setDue(true);
        return;
      }
      invited = { user: id, link: answer.value.url };
      setLink(answer.value.url);
    };
    void make();
    return () => {
      over = true;
    };
  }, [wanted, offline, link, isDue, id, serviceProviderId]);
  async function create(): Promise<void> {
    const answer = await withReauth(() => client().ask('inviteUser', { id: serviceProviderId }));
    if (!answer.ok) return showFailure(answer.failure.message);
    invited = { user: id, link: answer.value.url };
    return setLink(answer.value.url);
  }
  if (!wanted || (link === null && !isDue)) return { notice: null, create };
  const message = link === null ? t.inviteFirst : t.invite;
  return {
    notice: {
      _id: INVITATION,
      app: 'monitoring',
      severity: 'info',
      message,
      link,
      copy: true,
      event: null,
      hideAck: true,
      hideClose: true,
      userId: id,
      roles: null,
    },
    create,
  };
}

const INVITATION = 'invitation';
let invited: { readonly user: string; readonly link: string } | null = null;
const EMPTY = {};
const EVERY_MS = 5 * 60_000;
