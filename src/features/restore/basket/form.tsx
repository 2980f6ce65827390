import { LIMITS } from '#contract/limits.ts';
import { useCapabilities } from '../capabilities.ts';
import { useOperator } from '../operator/context.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import {
  BesideChannels,
  ConflictChoice,
  MailFlagChecks,
  FieldGroup,
  PermissionsCheck,
  ReasonField,
  SelectionField,
  VersionsChoice,
} from '../task/form-parts.tsx';
import type { RestoreFormPart } from '../task/form-parts.tsx';
import { restoreTaskMessages as taskWords } from '../task/messages.en.ts';
import { isWhole } from './basket.ts';
import type { Basket } from './basket.ts';
import { basketMessages as t } from './messages.en.ts';

/** The options of a restore of all that the basket holds, to its original places. */
export function BasketForm({
  basket,
  draft,
  isMany,
  errors,
  put,
}: RestoreFormPart & {
  readonly basket: Basket;
  /** So many items that a reason is needed. */
  readonly isMany: boolean;
  readonly errors: FormErrors;
}) {
  const operator = useOperator();
  const hasFiles = basket.some(({ workload }) => workload !== 'outlook');
  const { choices } = useCapabilities();
  const hasTeam = basket.some((group) => group.workload === 'teams' && isWhole(group));
  return (
    <>
      <FieldGroup title={taskWords.where}>
        <p className="m-0">{taskWords.original}</p>
        {isMany && (
          <div className="py-2">
            <p className="m-0 pb-2 text-agate text-ink-2">
              {operator?.needsSecondPerson === true
                ? `${taskWords.secondPersonHint} ${t.secondPerson}`
                : taskWords.manyHint({ max: LIMITS.restorePlainItems })}
            </p>
            <ReasonField draft={draft} errors={errors} put={put} />
          </div>
        )}
      </FieldGroup>
      <FieldGroup title={taskWords.what}>
        <div {...(errors['what'] !== undefined && { 'data-error': true })}>
          <SelectionField draft={draft} put={put} />
          {hasTeam && <BesideChannels draft={draft} put={put} />}
        </div>
        {errors['what'] !== undefined && (
          <p role="alert" className="m-0 text-agate text-failed">
            {errors['what']}
          </p>
        )}
        <ConflictChoice draft={draft} put={put} />
        {hasFiles && <VersionsChoice draft={draft} put={put} />}
        {hasFiles && choices && <PermissionsCheck draft={draft} put={put} />}
      </FieldGroup>
      {basket.some(({ workload }) => workload === 'outlook') && (
        <MailFlagChecks draft={draft} put={put} />
      )}
    </>
  );
}
