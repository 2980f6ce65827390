import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiKey, MadeApiKey } from '#contract/auth/api-key-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { Confirm } from '../security/confirm.tsx';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { FactorStateLine } from '../../shared/status-line.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ApiKeyLine } from './key-row.tsx';
import { NewKey } from './new-key.tsx';
import { SecretDialog } from './secret.tsx';
import { richText } from '#src/ui/rich-text.tsx';
import { apiKeyMessages as t } from './messages.en.ts';

/** `/monitoring/api-keys`: API keys that act in the user's name; create and revoke them. */
export function ApiKeysScreen() {
  const me = useMe();
  const zone = useZone();
  const now = useNow(60_000);
  const id = me?.id ?? '';
  const request = useQuery('listApiKeys', { id }, me !== null && me.impersonator === null);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeApiKey | null>(null);
  const [ending, setEnding] = useState<ApiKey | null>(null);
  return (
    <OwnPage title={t.apiKeys} queries={[request]}>
      {() => {
        if (request.value === null) return null;
        const { keys, max, abilities } = request.value;
        const full = keys.filter(({ until }) => until > now).length >= max;
        return (
          <FormSection
            wide
            title={t.yourKeys}
            description={richText(t.keysDetail, {
              link: (
                <Link to="/monitoring/api" className="text-accent underline underline-offset-2">
                  {t.viewApi}
                </Link>
              ),
            })}
          >
            {keys.length === 0 && (
              <FactorStateLine on={false} label={t.noKeys}>
                {t.noKeysDetail}
              </FactorStateLine>
            )}
            {keys.length > 0 && (
              <ul aria-label={t.apiKeys} className="m-0 list-none p-0">
                {keys.map((key) => (
                  <ApiKeyLine
                    key={key.id}
                    of={key}
                    abilities={abilities}
                    zone={zone}
                    now={now}
                    offline={offline}
                    onRevoke={() => setEnding(key)}
                  />
                ))}
              </ul>
            )}
            <div className="flex flex-wrap items-center gap-3">
              <Button
                icon="plus"
                variant={keys.length === 0 ? 'primary' : 'default'}
                disabled={full || offline || abilities.length === 0}
                {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
                onClick={() => setMaking(true)}
              >
                {t.newApiKey}
              </Button>
              {abilities.length === 0 && <span className="text-ink-3">{t.noPermissions}</span>}
              {full && <span className="text-ink-3">{t.limitReached({ max })}</span>}
            </div>
            {making && (
              <NewKey
                id={id}
                abilities={abilities}
                zone={zone}
                onClose={() => setMaking(false)}
                onMade={(next) => {
                  setMaking(false);
                  setMade(next);
                  request.again();
                }}
              />
            )}
            {made !== null && <SecretDialog made={made} onClose={() => setMade(null)} />}
            {ending !== null && (
              <Confirm
                title={t.revokeTitle}
                description={t.revokeDetail({ key: ending.name })}
                action={t.revokeKey}
                call={() => client().ask('revokeApiKey', { id, key: ending.id })}
                onClose={() => setEnding(null)}
                onDone={() => {
                  showSuccess(t.keyRevoked);
                  request.again();
                }}
              />
            )}
          </FormSection>
        );
      }}
    </OwnPage>
  );
}

const EMPTY = {};
