import type { ReactNode } from 'react';
import type { MailFlags } from '#contract/engine/restore-flags.ts';
import { LIMITS } from '#contract/limits.ts';
import { Check } from '#src/ui/check.tsx';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { Select } from '#src/ui/select.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import type { RestoreDraft } from './draft.ts';
import { restoreTaskMessages as t } from './messages.en.ts';

/** What each part of the form of a restore gets. */
export interface RestoreFormPart {
  readonly draft: RestoreDraft;
  readonly put: (change: Partial<RestoreDraft>) => void;
}

/** Whether to restore what is deleted, what has changed, or both. */
export const SelectionField = ({ draft, put }: RestoreFormPart) => (
  <>
    <Check
      checked={draft.deletedItems}
      title={t.deletedItems}
      detail={t.deletedItemsHint}
      onChange={(deletedItems) => put({ deletedItems })}
    />
    <Check
      checked={draft.changedItems}
      title={t.changedItems}
      detail={t.changedItemsHint}
      onChange={(changedItems) => put({ changedItems })}
    />
  </>
);

/** What a team has besides its channels. */
export function BesideChannels({ draft: { flags }, put }: RestoreFormPart) {
  const { members = false, settings = false } = flags.team ?? {};
  const putTeam = (team: NonNullable<RestoreDraft['flags']['team']>): void =>
    put({ flags: { ...flags, team } });
  return (
    <>
      <Check
        checked={members}
        title={t.members}
        detail={t.membersHint}
        onChange={(isOn) => putTeam({ members: isOn, settings })}
      />
      <Check
        checked={settings}
        title={t.teamSettings}
        detail={t.teamSettingsHint}
        onChange={(isOn) => putTeam({ members, settings: isOn })}
      />
    </>
  );
}

/** What happens to items that are different in the target. */
export const ConflictChoice = ({
  draft,
  canSkip = true,
  put,
}: RestoreFormPart & { readonly canSkip?: boolean }) =>
  draft.changedItems && (
    <div className="pt-2">
      <Select
        block
        label={t.conflict}
        value={draft.onConflict}
        options={[
          { value: 'replace', label: t.replace },
          { value: 'keep-both', label: t.keepBoth },
          ...(canSkip ? [{ value: 'skip' as const, label: t.skip }] : []),
        ]}
        onChange={(onConflict) => put({ onConflict })}
      />
    </div>
  );

/** Which versions of files are restored. */
export const VersionsChoice = ({ draft, put }: RestoreFormPart) => (
  <div className="pt-3">
    <Select
      block
      label={t.versions}
      value={draft.versions}
      options={[
        { value: 'last', label: t.versionLast },
        { value: 'all', label: t.versionAll },
      ]}
      onChange={(versions) => put({ versions })}
    />
  </div>
);

/** Whether new files and folders are shared as before. */
export const PermissionsCheck = ({ draft: { flags }, put }: RestoreFormPart) => (
  <Check
    checked={flags.permissions === true}
    title={t.permissions}
    detail={t.permissionsHint}
    onChange={(permissions) => put({ flags: { ...flags, permissions } })}
  />
);

/** The options of mailboxes. */
export const MailFlagChecks = ({ draft, put }: RestoreFormPart) => (
  <details className="border-b border-hair py-2">
    <summary className="cursor-pointer rounded-part py-1 pointer-coarse:min-h-11">
      {t.options}
    </summary>
    {FLAGS.map((flag) => (
      <Check
        key={flag}
        checked={draft.flags[flag]}
        title={flagLabel(flag)}
        {...(HOLDS.has(flag) && { disabled: true, detail: t.noHolds })}
        onChange={(isOn) => put({ flags: { ...draft.flags, [flag]: isOn } })}
      />
    ))}
  </details>
);

/** Why the restore is needed. The customer reads it. */
export function ReasonField({
  draft,
  errors,
  put,
}: RestoreFormPart & { readonly errors: FormErrors }) {
  return (
    <TextArea
      label={t.reason}
      required
      rows={2}
      value={draft.reason}
      maxLength={LIMITS.noteChars}
      error={errors['reason'] ?? null}
      onChange={(event) => put({ reason: event.target.value })}
    />
  );
}

/** A group of fields with its title. */
export function FieldGroup({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className="m-0 min-w-0 border-0 border-b border-hair p-0 pt-3 pb-2">
      <legend className="float-left w-full p-0 pb-1 font-semibold">{title}</legend>
      <div className="clear-both">{children}</div>
    </fieldset>
  );
}

const FLAGS = [
  'markRestoredAsUnread',
  'excludeDrafts',
  'excludeDeletedItems',
  'excludeInPlaceHoldItems',
  'excludeLitigationHoldItems',
] as const satisfies readonly (keyof MailFlags)[];

/** RES-21: no engine backs up what only a hold keeps, so nothing can be left out. */
const HOLDS: ReadonlySet<keyof MailFlags> = new Set([
  'excludeInPlaceHoldItems',
  'excludeLitigationHoldItems',
]);

const flagLabel = (flag: keyof MailFlags): string =>
  ({
    markRestoredAsUnread: t.unread,
    excludeDrafts: t.noDrafts,
    excludeDeletedItems: t.noDeletedItems,
    excludeInPlaceHoldItems: t.noInPlaceHold,
    excludeLitigationHoldItems: t.noLitigationHold,
  })[flag];
