import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiKey, MadeApiKey } from '#contract/auth/api-key-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { plural } from '#src/ui/format.ts';
import { tell } from '#src/ui/toasts.ts';
import { Confirm } from '../security/confirm.tsx';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { StateLine } from '../../shared/status-line.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { KeyRow } from './key-row.tsx';
import { NewKey } from './new-key.tsx';
import { SecretDialog } from './secret.tsx';

/** `/monitoring/api-keys`: what programs may do in the user's name, and the end of it. */
export function ApiKeys() {
  const me = useMe();
  const zone = useZone();
  const now = useNow(60_000);
  const id = me?.id ?? '';
  const asked = useQuery('listApiKeys', { id }, me !== null && me.acting === null);
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeApiKey | null>(null);
  const [ending, setEnding] = useState<ApiKey | null>(null);
  return (
    <OwnPage title="API keys" asked={[asked]}>
      {() => {
        if (asked.value === null) return null;
        const { keys, most, abilities } = asked.value;
        const full = keys.filter(({ until }) => until > now).length >= most;
        return (
          <FormSection
            wide
            title="Your keys"
            says={
              <>
                With a key a program acts as you, as far as you choose, and sees the companies that
                you see. You are told by mail when one is made or revoked.{' '}
                <Link to="/monitoring/api" className="text-accent underline underline-offset-2">
                  What the API can do
                </Link>
              </>
            }
          >
            {keys.length === 0 && (
              <StateLine on={false} word="None">
                No program acts in your name.
              </StateLine>
            )}
            {keys.length > 0 && (
              <ul aria-label="API keys" className="m-0 list-none p-0">
                {keys.map((key) => (
                  <KeyRow
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
                New API key
              </Button>
              {abilities.length === 0 && (
                <span className="text-ink-3">
                  Your roles have no ability that a program could use.
                </span>
              )}
              {full && (
                <span className="text-ink-3">
                  You have {plural(most, 'key')}, and no more are kept. Revoke one that is not
                  needed any more.
                </span>
              )}
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
                  asked.again();
                }}
              />
            )}
            {made !== null && <SecretDialog made={made} onClose={() => setMade(null)} />}
            {ending !== null && (
              <Confirm
                title="Revoke this key?"
                says={`Programs that use “${ending.name}” are refused from now on. A revoked key does not come back.`}
                action="Revoke it"
                call={() => client().ask('revokeApiKey', { id, key: ending.id })}
                onClose={() => setEnding(null)}
                onDone={() => {
                  tell('API key revoked');
                  asked.again();
                }}
              />
            )}
          </FormSection>
        );
      }}
    </OwnPage>
  );
}

const NOTHING = {};
