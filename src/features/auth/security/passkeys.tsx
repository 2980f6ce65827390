import { useState } from 'react';
import { useNow } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { knowsPasskeys } from '#src/app/shell/reauth/passkey.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { formatAge, formatDate } from '#src/ui/format.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import type { FactorProps } from './authenticator.tsx';
import { Confirm } from './confirm.tsx';
import { NewPasskey } from './new-passkey.tsx';
import { FactorStateLine } from '../../shared/status-line.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { ownAccountMessages as t } from './messages.en.ts';

/** The passkeys of the user's devices: add, remove. */
export function Passkeys({ id, factors: { passkeys }, onChanged }: FactorProps) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<{ readonly key: string; readonly name: string } | null>(
    null,
  );
  const zone = useZone();
  const now = useNow(60_000);
  const able = knowsPasskeys();
  return (
    <FormSection wide title={t.passkeys} description={t.passkeysDetail}>
      {passkeys.length === 0 && (
        <FactorStateLine on={false} label={t.noPasskeys}>
          {able ? t.passkeysSupported : t.passkeysUnsupported}
        </FactorStateLine>
      )}
      {passkeys.length > 0 && (
        <ul aria-label={t.passkeys} className="m-0 list-none p-0">
          {passkeys.map((one) => (
            <li
              key={one.key}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-hair py-2 first:pt-0"
            >
              <span className="min-w-0 grow basis-48">
                <b className="block break-words">{one.name}</b>
                <span className="block text-agate text-ink-3">
                  {one.usedAt === null
                    ? t.passkeyUnused({ date: formatDate(one.madeAt, zone) })
                    : t.passkeyUsed({
                        date: formatDate(one.madeAt, zone),
                        age: formatAge(one.usedAt, now),
                      })}
                </span>
              </span>
              <Button
                size="sm"
                aria-label={ui.removeItem({ name: one.name })}
                onClick={() => setRemoving(one)}
              >
                {ui.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button icon="plus" disabled={!able} onClick={() => setAdding(true)}>
          {t.addPasskey}
        </Button>
      </div>
      {adding && (
        <NewPasskey
          id={id}
          taken={passkeys.map(({ name }) => name)}
          onClose={() => setAdding(false)}
          onMade={() => {
            showSuccess(t.passkeyAdded);
            onChanged();
          }}
        />
      )}
      {removing !== null && (
        <Confirm
          title={t.removePasskeyTitle}
          description={t.removePasskeyDetail({ name: removing.name })}
          action={t.removePasskey}
          call={() => client().ask('removePasskey', { id, key: removing.key })}
          onClose={() => setRemoving(null)}
          onDone={() => {
            showSuccess(t.passkeyRemoved);
            onChanged();
          }}
        />
      )}
    </FormSection>
  );
}
