import { formatList } from '#contract/i18n/list.ts';
import { useState } from 'react';
import type { ApiKey } from '#contract/auth/api-key-calls.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { formatDate } from '#src/ui/format.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { richText } from '#src/ui/rich-text.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useSearchQuery } from '../shared/queries/use-search-query.ts';
import { getId } from '../shared/ids.ts';
import { TypedConfirm } from '../shared/forms/typed-confirm.tsx';
import { userMessages as t } from './messages.en.ts';

export interface UserKeysProps {
  readonly user: UserListed;
  readonly offline: boolean;
  readonly zone: string;
  readonly now: Ms;
}

/**
 * KEY-5: API keys that act in a user's name, for users who manage that user. Renders nothing if
 * there are none.
 */
export function UserKeys({ user, offline, zone, now }: UserKeysProps) {
  const id = getId(user);
  const request = useSearchQuery('listUserApiKeys', { id });
  const [ending, setEnding] = useState<ApiKey | null>(null);
  const keys = request.value ?? [];
  if (request.value !== null ? keys.length === 0 : request.failure === null || offline) return null;
  return (
    <section className="grid gap-2">
      <h3 className="m-0 border-b border-rule pb-1">{t.apiKeys}</h3>
      <p className="m-0 text-ink-2">{t.apiKeysDetail}</p>
      {request.failure !== null && (
        <p className="m-0 text-failed">
          {getFailureText(request.failure)}{' '}
          {offerRetry(request.failure, request.again, { size: 'sm' })}
        </p>
      )}
      <ul aria-label={t.apiKeysOf({ user: user.name })} className="m-0 list-none p-0">
        {keys.map((key) => (
          <li
            key={key.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-hair py-2"
          >
            <span className="min-w-0 grow basis-48">
              <b className="block break-words">{key.name}</b>
              <span className="block text-agate break-words text-ink-3">
                <code className="font-mono">{`dbu_…${key.hint}`}</code> ·{' '}
                {(key.until <= now ? t.keyEnded : t.keyEnds)({ date: formatDate(key.until, zone) })}{' '}
                · {getLastUse(key)}
              </span>
              <span className="block text-agate break-words text-ink-3">
                {formatList(key.abilities, 'plain')}
              </span>
            </span>
            <CallButton
              call="revokeUserApiKey"
              size="sm"
              disabled={offline}
              {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
              aria-label={t.revokeNamed({ key: key.name })}
              onClick={() => setEnding(key)}
            >
              {t.revoke}
            </CallButton>
          </li>
        ))}
      </ul>
      {ending !== null && (
        <TypedConfirm
          title={t.revokeKeyTitle}
          type={null}
          phrase={t.revokeKey}
          onClose={() => setEnding(null)}
          send={async (): Promise<Result<unknown>> => {
            const result = await withReauth(() =>
              client().ask('revokeUserApiKey', { id, key: ending.id }),
            );
            return !result.ok && result.failure.kind === 'not-found' ? ok(null) : result;
          }}
          onDone={() => {
            showSuccess(t.keyRevoked);
            setEnding(null);
            request.again();
          }}
        >
          <p className="m-0">
            {richText(t.revokeKeyDetail, {
              key: <b className="text-ink">{ending.name}</b>,
              user: user.name,
            })}
          </p>
        </TypedConfirm>
      )}
    </section>
  );
}

function getLastUse({ usedOn, usedFrom: address }: ApiKey): string {
  if (usedOn === null) return t.keyNeverUsed;
  const date = formatDate(Date.parse(`${usedOn}T00:00:00Z`), 'UTC');
  return address === null ? t.keyUsed({ date }) : t.keyUsedFrom({ date, address });
}
