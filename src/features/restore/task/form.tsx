import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { MailFlags } from '#contract/engine/restore-flags.ts';
import { LIMITS } from '#contract/limits.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Choice } from '#src/ui/choice.tsx';
import { Check } from '#src/ui/check.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { useOperator } from '../operator/context.ts';
import { TEXTS } from '../texts.ts';
import type { OtherPlace } from '../texts.ts';
import type { WorkloadKind } from '../workload.ts';
import { hasPosts, isSettings } from './draft.ts';
import type { ChosenNodes, DraftErrors, RestoreDraft } from './draft.ts';
import { restoreTaskMessages as t } from './messages.en.ts';

export interface RestoreFormProps {
  readonly kind: WorkloadKind;
  readonly chosen: ChosenNodes;
  /** The organization of the session. */
  readonly organizationId: string;
  /** `Priya Nair, Inbox, Rota`. */
  readonly originalPlace: string;
  readonly draft: RestoreDraft;
  /** So many items that a reason is needed even for the original location. */
  readonly isMany: boolean;
  /** Null until the user tried to go on. */
  readonly errors: DraftErrors | null;
  readonly onChange: (draft: RestoreDraft) => void;
}

/** Where to restore to, and what. */
export function RestoreForm(props: RestoreFormProps) {
  const { kind, chosen, originalPlace, draft, isMany, errors, onChange } = props;
  const put = (change: Partial<RestoreDraft>): void => onChange({ ...draft, ...change });
  const name = useId();
  // Operators restore to the original place only.
  const operator = useOperator();
  const other = operator !== null ? null : TEXTS[kind].other;
  const isFiles = kind !== 'outlook' && !isWithoutFiles(chosen);
  return (
    <>
      <Part title={t.where}>
        {other === null ? (
          <p className="m-0 min-h-11 py-2.5">
            <span className="block">{t.original}</span>
            <span className="block text-agate text-ink-3">{originalPlace}</span>
          </p>
        ) : (
          <>
            <Choice
              name={name}
              checked={!draft.isOther}
              title={t.original}
              detail={originalPlace}
              onChoose={() => put({ isOther: false })}
            />
            <Choice
              name={name}
              checked={draft.isOther}
              title={other.otherPlace}
              detail={t.otherHint}
              onChoose={() => put({ isOther: true })}
            />
            {draft.isOther && <OtherPlaceFields {...props} texts={other} put={put} />}
          </>
        )}
        {isMany && !draft.isOther && (
          <div className="py-2">
            <p className="m-0 pb-2 text-agate text-ink-2">
              {operator?.needsSecondPerson === true
                ? t.secondPersonHint
                : t.manyHint({ max: LIMITS.restorePlainItems })}
            </p>
            <ReasonField draft={draft} errors={errors} put={put} />
          </div>
        )}
      </Part>
      <Part title={t.what}>
        {!isSettings(chosen) && <Selection draft={draft} put={put} />}
        {kind === 'teams' && (chosen.level === 'object' || isSettings(chosen)) && (
          <BesideChannels draft={draft} put={put} />
        )}
        {errors !== null && errors.what !== null && (
          <p role="alert" className="m-0 text-agate text-failed">
            {errors.what}
          </p>
        )}
        {hasPosts(kind, chosen) && <p className="m-0 pt-1 text-agate text-ink-3">{t.replyHint}</p>}
        {draft.changedItems && !isSettings(chosen) && (
          <div className="pt-2">
            <Select
              block
              label={t.conflict}
              value={draft.onConflict}
              options={[
                { value: 'replace', label: t.replace },
                { value: 'keep-both', label: t.keepBoth },
                { value: 'skip', label: t.skip },
              ]}
              onChange={(onConflict) => put({ onConflict })}
            />
          </div>
        )}
        {isFiles && (
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
        )}
      </Part>
      {kind === 'outlook' && (
        <details className="border-b border-hair py-2">
          <summary className="cursor-pointer rounded-part py-1 pointer-coarse:min-h-11">
            {t.options}
          </summary>
          {FLAGS.map((flag) => (
            <Check
              key={flag}
              checked={draft.flags[flag]}
              title={flagLabel(flag)}
              onChange={(isOn) => put({ flags: { ...draft.flags, [flag]: isOn } })}
            />
          ))}
        </details>
      )}
    </>
  );
}

interface FormPart {
  readonly draft: RestoreDraft;
  readonly put: (change: Partial<RestoreDraft>) => void;
}

const Selection = ({ draft, put }: FormPart) => (
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
function BesideChannels({ draft: { flags }, put }: FormPart) {
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

/** Posts, tabs and settings have no versions to choose from. */
const isWithoutFiles = ({ itemKind, level, chain }: ChosenNodes): boolean =>
  level === 'folder'
    ? chain.at(-1)?.holds === 'tabs'
    : itemKind === 'post' || itemKind === 'tab' || itemKind === 'settings';

function OtherPlaceFields({
  organizationId,
  draft,
  errors,
  texts,
  put,
}: RestoreFormProps & FormPart & { readonly texts: OtherPlace }) {
  const organizations = useWatch('organizations', EMPTY) ?? [];
  const [typed, setTyped] = useState('');
  const target = draft.organization ?? organizationId;
  const search = typed.trim();
  const request = useQuery(texts.targetsCall, {
    organizationId: target,
    limit: String(MAX_USERS),
    ...(search !== '' && { search }),
  });
  const { user } = draft;
  const users = (request.value?.rows ?? []).map(({ id, name, address }) => ({
    value: id,
    label: address === '' ? name : `${name} (${address})`,
  }));
  return (
    <div className="grid gap-3 py-2 pl-7">
      {organizations.length > 1 && (
        <Select
          block
          label={t.organization}
          value={target}
          options={organizations.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(organization) => put({ organization, user: null })}
        />
      )}
      <Combobox
        label={texts.target}
        required
        value={user?.id ?? ''}
        placeholder={texts.targetHint}
        options={
          user === null || users.some(({ value }) => value === user.id)
            ? users
            : [{ value: user.id, label: user.name }, ...users]
        }
        error={
          errors?.user ??
          (request.failure === null ? null : texts.targetsFailed(getFailureText(request.failure)))
        }
        onType={setTyped}
        onChange={(id) =>
          put({ user: { id, name: users.find(({ value }) => value === id)?.label ?? id } })
        }
      />
      <TextField
        label={t.folder}
        hint={texts.folderHint}
        value={draft.folder}
        autoComplete="off"
        onChange={(event) => put({ folder: event.target.value })}
      />
      <ReasonField draft={draft} errors={errors} put={put} />
    </div>
  );
}

function ReasonField({
  draft,
  errors,
  put,
}: Pick<RestoreFormProps, 'draft' | 'errors'> & {
  readonly put: (change: Partial<RestoreDraft>) => void;
}) {
  return (
    <TextArea
      label={t.reason}
      required
      rows={2}
      value={draft.reason}
      maxLength={LIMITS.noteChars}
      error={errors?.reason ?? null}
      onChange={(event) => put({ reason: event.target.value })}
    />
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
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

const flagLabel = (flag: keyof MailFlags): string =>
  ({
    markRestoredAsUnread: t.unread,
    excludeDrafts: t.noDrafts,
    excludeDeletedItems: t.noDeletedItems,
    excludeInPlaceHoldItems: t.noInPlaceHold,
    excludeLitigationHoldItems: t.noLitigationHold,
  })[flag];

const MAX_USERS = 50;
const EMPTY = {};
