import type { OpenSession } from '#contract/auth/profile-calls.ts';
import { useNow } from '#src/app/clock.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useZone } from '#src/app/session/session.ts';
import { Badge } from '#src/ui/badge.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { formatAge, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { beganBy, getDevice } from '../../shared/device-labels.ts';
import { ownAccountMessages as t } from './messages.en.ts';

export interface SessionsProps {
  readonly id: string;
  readonly sessions: readonly OpenSession[];
  readonly onChanged: () => void;
}

/** The user's active sessions, with a button to end each of them. */
export function Sessions({ id, sessions, onChanged }: SessionsProps) {
  const mutation = useServerMutation();
  const error = mutation.failure?.message ?? null;
  const zone = useZone();
  const now = useNow(60_000);
  const others = sessions.filter(({ current }) => !current);

  async function end(session: string): Promise<void> {
    if (mutation.busy) return;
    const answer = await mutation.send(
      () => withReauth(() => client().ask('endSession', { id, session })),
      session,
    );
    if (answer.ok)
      showSuccess(
        session === 'others' ? t.sessionsEnded({ count: answer.value.ended }) : t.sessionEnded,
      );
    else if (answer.failure.kind !== 'not-found') return;
    return onChanged();
  }

  return (
    <FormSection wide title={t.sessions} description={t.sessionsDetail}>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      <ul aria-label={t.sessions} className="m-0 list-none p-0">
        {sessions.map((one) => (
          <li
            key={one.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-hair py-2 first:pt-0"
          >
            <span className="min-w-0 grow basis-64">
              <span className="flex flex-wrap items-center gap-2">
                <b data-tip={one.agent}>{getDevice(one.agent)}</b>
                {one.current && (
                  <Badge tone="success">
                    <Icon name="tick" size={12} />
                    {t.thisSession}
                  </Badge>
                )}
                {one.impersonator !== null && (
                  <Badge tone="warning">
                    <Icon name="person" size={12} />
                    {one.impersonator === ''
                      ? t.administratorAsYou
                      : t.impersonatingYou({ name: one.impersonator })}
                  </Badge>
                )}
              </span>
              <span className="block text-agate break-words text-ink-3">
                {(one.current ? t.sessionNow : t.sessionSeen)({
                  address: one.ip,
                  date: formatWhen(one.beganAt, zone),
                  method: beganBy(one.how),
                  age: formatAge(one.seenAt, now),
                })}
              </span>
            </span>
            {!one.current && (
              <Button
                size="sm"
                busy={mutation.pending === one.id}
                onClick={() => void end(one.id)}
                aria-label={t.endNamedSession({ device: getDevice(one.agent), address: one.ip })}
              >
                {t.endSession}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div>
        {others.length > 0 ? (
          <Button busy={mutation.pending === 'others'} onClick={() => void end('others')}>
            {t.endOtherSessions}
          </Button>
        ) : (
          <p className="m-0 text-ink-3">{t.noOtherSessions}</p>
        )}
      </div>
    </FormSection>
  );
}
