import { useState } from 'react';
import type { Exclusion } from '#contract/backup/exclusions.ts';
import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
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
import { ExcludePerson } from './exclude-person.tsx';
import { exclusionMessages as t } from './messages.en.ts';

type Listed = OutputOf<'listExclusions'>[number];

/** Who is excluded from the backups of an organization, why, and how far the removal is. */
export function Exclusions({
  row,
  zone,
}: {
  readonly row: OrganizationRow;
  readonly zone: string;
}) {
  return (
    <section aria-label={t.title}>
      <h3 className="m-0 border-b border-head-rule pt-5 pb-1 text-[length:inherit]">{t.title}</h3>
      {isBackedUpHere(row) ? (
        <ExclusionList row={row} zone={zone} />
      ) : (
        <p className="m-0 py-2 text-ink-2">{t.notOnServer}</p>
      )}
    </section>
  );
}

function ExclusionList({ row, zone }: { readonly row: OrganizationRow; readonly zone: string }) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { value: listed } = useCachedQuery(
    'listExclusions',
    { organizationId: row.id },
    { everyMs: 15_000, round: row.updatedAt },
  );
  const [isExcluding, setExcluding] = useState(false);
  const [ending, setEnding] = useState<Exclusion | null>(null);
  const exclusions = (row.exclusions ?? []).toSorted((a, b) => a.name.localeCompare(b.name));
  const blocked = {
    disabled: offline,
    ...(offline && { 'data-tip': MESSAGES.needsNetwork }),
  };
  return (
    <>
      <p className="m-0 pt-2 text-ink-2">{exclusions.length === 0 ? t.none : t.about}</p>
      <p className="m-0 pb-2 text-agate text-ink-3">{t.others}</p>
      {exclusions.length > 0 && (
        <ul className="m-0 list-none p-0 [&>li]:border-b [&>li]:border-hair [&>li]:py-2">
          {exclusions.map((exclusion) => (
            <li key={exclusion.id} className="flex flex-wrap items-start justify-between gap-2">
              <ExclusionFacts
                exclusion={exclusion}
                listed={listed?.find(({ _id }) => _id === exclusion.id) ?? null}
                zone={zone}
              />
              {exclusion.endedAt === null && (
                <CallButton
                  call="endExclusion"
                  size="sm"
                  aria-label={t.endTitle({ name: exclusion.name })}
                  {...blocked}
                  onClick={() => setEnding(exclusion)}
                >
                  {t.end}
                </CallButton>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="pt-2">
        <CallButton call="excludePerson" size="sm" {...blocked} onClick={() => setExcluding(true)}>
          {t.exclude}
        </CallButton>
      </div>
      {isExcluding && (
        <ExcludePerson
          organizationId={row.id}
          onExcluded={() => {
            showSuccess(t.excludedToast);
            setExcluding(false);
          }}
          onClose={() => setExcluding(false)}
        />
      )}
      {ending !== null && (
        <TextDialog
          title={t.endTitle({ name: ending.name })}
          label={t.reason}
          hint={t.endHint({ name: ending.name })}
          required
          maxLength={LIMITS.noteChars}
          initial=""
          submitLabel={t.end}
          schema={makeEndSchema()}
          submit={(reason) =>
            withReauth(() =>
              client().ask('endExclusion', {
                organizationId: row.id,
                exclusionId: ending.id,
                reason,
              }),
            )
          }
          onSaved={() => {
            showSuccess(t.endedToast);
            setEnding(null);
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}

function ExclusionFacts({
  exclusion: { name, reason, at, endedAt },
  listed,
  zone,
}: {
  readonly exclusion: Exclusion;
  readonly listed: Listed | null;
  readonly zone: string;
}) {
  const day = formatDate(at, zone);
  const by = listed?.excludedBy ?? null;
  return (
    <span className="min-w-0 break-words">
      <b>{name}</b>
      <span className="block text-ink-2">{reason}</span>
      <span className="block text-agate text-ink-3">
        {by === null ? t.excluded({ day }) : t.excludedBy({ day, name: by })}
        {endedAt !== null && ` · ${t.ended({ day: formatDate(endedAt, zone) })}`}
      </span>
      {listed?.repositories.map((repository) => (
        <span key={repository.repositoryId} className="block text-agate text-ink-2">
          {describeRemoval(repository, zone)}
        </span>
      ))}
      {listed?.repositories.length === 0 && (
        <span className="block text-agate text-ink-2">{t.nothingStored}</span>
      )}
    </span>
  );
}

function describeRemoval(
  { name: repository, state, until }: Listed['repositories'][number],
  zone: string,
): string {
  if (state === 'removing') return t.removing({ repository });
  if (state === 'removed') return t.removed({ repository });
  return until === null
    ? t.unlocked({ repository })
    : t.locked({ repository, day: formatDate(until, zone) });
}

const makeEndSchema = () =>
  makeReadingSchema(({ text }: TextDraft) => ({
    value: text.trim(),
    errors: { text: text.trim() === '' ? t.reasonNeeded : null },
  }));

const EMPTY = {};
