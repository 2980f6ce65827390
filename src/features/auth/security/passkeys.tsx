import { useState } from 'react';
import { useNow } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { knowsPasskeys } from '#src/app/shell/reauth/passkey.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { formatAge, formatDate } from '#src/ui/format.ts';
import { tell } from '#src/ui/toasts.ts';
import type { FactorProps } from './authenticator.tsx';
import { Confirm } from './confirm.tsx';
import { NewPasskey } from './new-passkey.tsx';
import { StateLine } from '../../shared/status-line.tsx';

/** Passkeys of the user's devices: added under a name, removed. */
export function Passkeys({ id, factors: { passkeys }, onChanged }: FactorProps) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<{ readonly key: string; readonly name: string } | null>(
    null,
  );
  const zone = useZone();
  const now = useNow(60_000);
  const able = knowsPasskeys();
  return (
    <FormSection
      wide
      title="Passkeys"
      says="A finger, a face or the lock of the device opens the account: there is no code to type and none to steal."
    >
      {passkeys.length === 0 && (
        <StateLine on={false} word="None">
          {able ? 'This device can keep one.' : 'This browser does not know passkeys.'}
        </StateLine>
      )}
      {passkeys.length > 0 && (
        <ul aria-label="Passkeys" className="m-0 list-none p-0">
          {passkeys.map((one) => (
            <li
              key={one.key}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-hair py-2 first:pt-0"
            >
              <span className="min-w-0 grow basis-48">
                <b className="block break-words">{one.name}</b>
                <span className="block text-agate text-ink-3">
                  added {formatDate(one.madeAt, zone)} ·{' '}
                  {one.usedAt === null ? 'not used yet' : `last used ${formatAge(one.usedAt, now)}`}
                </span>
              </span>
              <Button size="sm" aria-label={`Remove ${one.name}`} onClick={() => setRemoving(one)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button icon="plus" disabled={!able} onClick={() => setAdding(true)}>
          Add a passkey
        </Button>
      </div>
      {adding && (
        <NewPasskey
          id={id}
          taken={passkeys.map(({ name }) => name)}
          onClose={() => setAdding(false)}
          onMade={() => {
            tell('Passkey added');
            onChanged();
          }}
        />
      )}
      {removing !== null && (
        <Confirm
          title="Remove this passkey?"
          says={`“${removing.name}” opens nothing here any more. The device itself may go on offering it until you delete it there.`}
          action="Remove it"
          call={() => client().ask('removePasskey', { id, key: removing.key })}
          onClose={() => setRemoving(null)}
          onDone={() => {
            tell('Passkey removed');
            onChanged();
          }}
        />
      )}
    </FormSection>
  );
}
