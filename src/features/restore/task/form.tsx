import { useId, useState } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Choice } from '#src/ui/choice.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { getOrganizationOptions } from '../../shared/organizations/options.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { useCapabilities } from '../capabilities.ts';
import { useOperator } from '../operator/context.ts';
import { TEXTS } from '../texts.ts';
import type { OtherPlace } from '../texts.ts';
import type { WorkloadKind } from '../workload.ts';
import { hasPosts, isSettings, NEW_DRAFT } from './draft.ts';
import type { ChosenNodes, RestoreDraft } from './draft.ts';
import {
  BesideChannels,
  ConflictChoice,
  MailFlagChecks,
  FieldGroup,
  PermissionsCheck,
  ReasonField,
  SelectionField,
  VersionsChoice,
} from './form-parts.tsx';
import type { RestoreFormPart } from './form-parts.tsx';
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
  readonly errors: FormErrors;
  readonly put: (change: Partial<RestoreDraft>) => void;
}

/** Where to restore to, and what. */
export function RestoreForm(props: RestoreFormProps) {
  const { kind, chosen, originalPlace, draft, isMany, errors, put } = props;
  const name = useId();
  // Operators restore to the original place only.
  const operator = useOperator();
  const { choices } = useCapabilities();
  // A Veeam server restores what is missing or changed of teams, and replaces files.
  const isTeam = kind === 'teams';
  const hasChoices = choices || draft.isOther || isTeam;
  const other = operator !== null ? null : TEXTS[kind].other;
  const isFiles = kind !== 'outlook' && !isWithoutFiles(chosen);
  return (
    <>
      <FieldGroup title={t.where}>
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
              onChoose={() =>
                put(choices ? { isOther: false } : { ...NEW_DRAFT, reason: draft.reason })
              }
            />
            <Choice
              name={name}
              checked={draft.isOther}
              title={other.otherPlace}
              detail={t.otherHint}
              onChoose={() => put({ isOther: true })}
            />
            {draft.isOther && <OtherPlaceFields {...props} texts={other} />}
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
      </FieldGroup>
      <FieldGroup title={t.what}>
        {!hasChoices && <p className="m-0 py-1 text-ink-2">{t.noChoices}</p>}
        <div {...(errors['what'] !== undefined && { 'data-error': true })}>
          {hasChoices && !isSettings(chosen) && <SelectionField draft={draft} put={put} />}
          {isTeam && (chosen.level === 'object' || isSettings(chosen)) && (
            <BesideChannels draft={draft} put={put} />
          )}
        </div>
        {errors['what'] !== undefined && (
          <p role="alert" className="m-0 text-agate text-failed">
            {errors['what']}
          </p>
        )}
        {hasPosts(kind, chosen) && (
          <p className="m-0 pt-1 text-agate text-ink-3">
            {choices ? t.replyHint : t.postsHintServer}
          </p>
        )}
        {!isSettings(chosen) && (choices || (isFiles && !isTeam)) && (
          <ConflictChoice draft={draft} canSkip={choices} put={put} />
        )}
        {isFiles && hasChoices && (choices || !hasPosts(kind, chosen)) && (
          <VersionsChoice draft={draft} put={put} />
        )}
        {isFiles && choices && !isRows(chosen) && <PermissionsCheck draft={draft} put={put} />}
      </FieldGroup>
      {kind === 'outlook' && hasChoices && <MailFlagChecks draft={draft} put={put} />}
    </>
  );
}

/** Posts, tabs and settings have no versions to choose from. */
const isWithoutFiles = ({ itemKind, level, chain }: ChosenNodes): boolean =>
  level === 'folder'
    ? chain.at(-1)?.holds === 'tabs'
    : itemKind === 'post' || itemKind === 'tab' || itemKind === 'settings';

/** Rows of lists are shared with their site alone. */
const isRows = ({ itemKind, level, chain }: ChosenNodes): boolean =>
  itemKind === 'row' || (level === 'folder' && chain.at(-1)?.kind === 'list');

function OtherPlaceFields({
  organizationId,
  draft,
  errors,
  texts,
  put,
}: RestoreFormProps & RestoreFormPart & { readonly texts: OtherPlace }) {
  const organizations = useWatch('organizations', EMPTY) ?? [];
  const { otherOrganizations } = useCapabilities();
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
      {otherOrganizations && organizations.length > 1 && (
        <Select
          block
          label={t.organization}
          value={target}
          options={getOrganizationOptions(organizations)}
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
          errors['user'] ??
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

const MAX_USERS = 50;
const EMPTY = {};
