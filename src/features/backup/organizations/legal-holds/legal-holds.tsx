import { useState } from 'react';
import { isActiveHold, type LegalHold } from '#contract/backup/legal-holds.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { formatDate } from '#src/ui/format.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { TextDialog, type TextDraft } from '../../../shared/forms/text-dialog.tsx';
import { legalHoldMessages as t } from './messages.en.ts';
import { PlaceHold } from './place-hold.tsx';

interface Props {
  readonly row: OrganizationRow;
  readonly now: Ms;
  readonly zone: string;
}

/** The legal holds of an organization: who is on hold, why, since when and until when. */
export function LegalHolds({ row, now, zone }: Props) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { value: listed } = useCachedQuery('listLegalHolds', { organizationId: row.id });
  const [isPlacing, setPlacing] = useState(false);
  const [released, setReleased] = useState<LegalHold | null>(null);
  const holds = (row.holds ?? []).toSorted((a, b) => a.name.localeCompare(b.name));
  const blocked = {
    disabled: offline,
    ...(offline && { 'data-tip': MESSAGES.needsNetwork }),
  };
  return (
    <section aria-label={t.title}>
      <h3 className="m-0 border-b border-head-rule pt-5 pb-1 text-[length:inherit]">{t.title}</h3>
      {holds.length === 0 ? (
        <p className="m-0 py-2 text-ink-2">{t.none}</p>
      ) : (
        <ul className="m-0 list-none p-0 [&>li]:border-b [&>li]:border-hair [&>li]:py-2">
          {holds.map((hold) => (
            <li key={hold.id} className="flex flex-wrap items-start justify-between gap-2">
              <span className="min-w-0 break-words">
                <b>{hold.name}</b> <span className="text-ink-3">{t[hold.kind]}</span>
                <span className="block text-ink-2">{hold.reason}</span>
                <span className="block text-agate text-ink-3">
                  {describePlaced(
                    hold,
                    listed?.find(({ _id }) => _id === hold.id)?.placedBy ?? null,
                    zone,
                  )}{' '}
                  · {describeEnd(hold, now, zone)}
                </span>
              </span>
              <CallButton
                call="releaseLegalHold"
                size="sm"
                aria-label={t.releaseTitle({ name: hold.name })}
                {...blocked}
                onClick={() => setReleased(hold)}
              >
                {t.release}
              </CallButton>
            </li>
          ))}
        </ul>
      )}
      <div className="pt-2">
        <CallButton call="placeLegalHold" size="sm" {...blocked} onClick={() => setPlacing(true)}>
          {t.place}
        </CallButton>
      </div>
      {isPlacing && (
        <PlaceHold
          organizationId={row.id}
          now={now}
          zone={zone}
          onPlaced={() => {
            showSuccess(t.placedToast);
            setPlacing(false);
          }}
          onClose={() => setPlacing(false)}
        />
      )}
      {released !== null && (
        <TextDialog
          title={t.releaseTitle({ name: released.name })}
          label={t.reason}
          hint={t.releaseHint}
          required
          maxLength={LIMITS.noteChars}
          initial=""
          submitLabel={t.release}
          schema={makeReleaseSchema()}
          submit={(reason) =>
            withReauth(() =>
              client().ask('releaseLegalHold', {
                organizationId: row.id,
                holdId: released.id,
                reason,
              }),
            )
          }
          onSaved={() => {
            showSuccess(t.releasedToast);
            setReleased(null);
          }}
          onClose={() => setReleased(null)}
        />
      )}
    </section>
  );
}

const describePlaced = ({ at }: LegalHold, name: string | null, zone: string): string => {
  const day = formatDate(at, zone);
  return name === null ? t.placed({ day }) : t.placedBy({ day, name });
};

/** A hold until the end of a day ends with the first moment of the next. */
function describeEnd(hold: LegalHold, now: Ms, zone: string): string {
  if (hold.until === null) return t.noEnd;
  const day = formatDate(hold.until - 1, zone);
  return isActiveHold(hold, now) ? t.endsOn({ day }) : t.ended({ day });
}

const makeReleaseSchema = () =>
  makeReadingSchema(({ text }: TextDraft) => ({
    value: text.trim(),
    errors: { text: text.trim() === '' ? t.reasonNeeded : null },
  }));

const EMPTY = {};
