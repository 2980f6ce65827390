import type { CompanySubscription, SubscriptionOut } from '#contract/billing/subscription-calls.ts';
import type { InputOf } from '#contract/calls.ts';
import type { Result } from '#contract/result.ts';
import { useBranding, useZone } from '#src/app/session/session.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Choice } from '#src/ui/choice.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { MoneyField } from '#src/ui/money-field.tsx';
import { showMoney } from '#src/ui/money.ts';
import { readPrice } from '../read-price.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { addDays, isDay, momentAt, dayAt } from '../../shared/date-range/dates.ts';
import { TypedConfirm } from '../../shared/forms/typed-confirm.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Effect } from './effect.tsx';
import { describePrice, getLevelName } from './labels.ts';
import { subscriptionMessages as t } from './messages.en.ts';

export type Operation = InputOf<'previewSubscription'>['operation'];

export const OPERATION_LABELS: Readonly<Record<Operation, string>> = {
  'cancel': t.cancel,
  'change-level': t.changeLevel,
  'update': t.update,
  'update-trial': t.updateTrial,
  'rollback': t.rollback,
  'forgive': t.forgive,
  'delete': t.delete,
};

export interface OperationDialogProps {
  readonly operation: Operation;
  readonly row: CompanySubscription & { readonly subscription: SubscriptionOut };
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** An operation on a subscription, with its amount and date before it is done (BILL-14). */
export function OperationDialog(props: OperationDialogProps) {
  return props.operation === 'delete' ? <DeleteCompany {...props} /> : <Change {...props} />;
}

function DeleteCompany({ row, onDone, onClose }: OperationDialogProps) {
  const zone = useZone();
  const { company, companyName } = row;
  return (
    <TypedConfirm
      title={t.operationTitle({ operation: t.delete, company: companyName })}
      type={{ label: t.typeName, text: companyName }}
      phrase={t.delete}
      send={() => withReauth(() => client().ask('deleteSubscriber', { companyId: company }))}
      onDone={() => {
        showSuccess(t.deleted({ company: companyName }));
        onDone();
      }}
      onClose={onClose}
    >
      <p className="m-0">{t.deleteHint}</p>
      <Effect input={{ companyId: company, operation: 'delete' }} zone={zone} />
    </TypedConfirm>
  );
}

interface Draft {
  readonly level: SubscriptionOut['level'];
  readonly userPrice: string;
  readonly minimumUsers: string;
  readonly trialEnd: string;
}
type Preview = InputOf<'previewSubscription'>;

function Change({ operation, row, onDone, onClose }: OperationDialogProps) {
  const zone = useZone();
  const branding = useBranding();
  const { subscription, companyName } = row;
  const levels = useCachedQuery('listServiceLevels', EMPTY, {
    wanted: operation === 'change-level',
  });
  const { form, change, errors, error, busy, formRef, save } = useDraftForm<
    Draft,
    Preview,
    unknown
  >({
    initial: {
      level: subscription.level,
      userPrice: showMoney(subscription.userMills, subscription.currency),
      minimumUsers: String(subscription.minimumUsers),
      trialEnd:
        subscription.trialEndsAt === null
          ? ''
          : addDays(dayAt(subscription.trialEndsAt, { zone, hour: 0 }), -1),
    },
    schema: makeReadingSchema((draft) => readDraft(draft, operation, row, zone)),
    submit: (input) => withReauth(() => send(input)),
    onSaved: () => {
      showSuccess(t.done);
      onDone();
    },
  });
  const { value: preview } = readDraft(form, operation, row, zone);
  const isUnchosen = operation === 'change-level' && form.level === subscription.level;
  return (
    <FormDialog
      title={t.operationTitle({ operation: OPERATION_LABELS[operation], company: companyName })}
      submitLabel={OPERATION_LABELS[operation]}
      {...(operation === 'cancel' && { closeLabel: t.keep })}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
      onClose={onClose}
    >
      {operation === 'change-level' &&
        (levels.value === null ? (
          <DelayedFallback>
            <p className="m-0 text-ink-2">{t.calculating}</p>
          </DelayedFallback>
        ) : (
          <fieldset className="m-0 min-w-0 border-0 p-0">
            <legend className="pb-1 font-semibold">{t.level}</legend>
            {levels.value.levels.map((prices) => (
              <Choice
                key={prices.level}
                name="level"
                checked={form.level === prices.level}
                title={getLevelName(prices.level, branding)}
                detail={describePrice({
                  ...prices,
                  currency: levels.value?.currency ?? subscription.currency,
                })}
                onChoose={() => change({ level: prices.level })}
              />
            ))}
          </fieldset>
        ))}
      {operation === 'update' && (
        <>
          <MoneyField
            label={t.userPrice}
            name="userPrice"
            currency={subscription.currency}
            value={form.userPrice}
            error={errors['userPrice'] ?? null}
            onChange={(userPrice) => change({ userPrice })}
          />
          <TextField
            label={t.minimumUsers}
            name="minimumUsers"
            inputMode="numeric"
            value={form.minimumUsers}
            error={errors['minimumUsers'] ?? null}
            onChange={(event) => change({ minimumUsers: event.target.value })}
          />
        </>
      )}
      {operation === 'update-trial' && (
        <TextField
          label={t.trialEnd}
          name="trialEnd"
          type="date"
          hint={t.trialEndHint}
          value={form.trialEnd}
          error={errors['trialEnd'] ?? null}
          onChange={(event) => change({ trialEnd: event.target.value })}
        />
      )}
      {preview !== null && !isUnchosen && <Effect input={preview} zone={zone} />}
    </FormDialog>
  );
}

function readDraft(
  { level, userPrice, minimumUsers, trialEnd }: Draft,
  operation: Operation,
  { company: companyId, subscription }: OperationDialogProps['row'],
  zone: string,
): { readonly value: Preview | null; readonly errors?: Readonly<Record<string, string | null>> } {
  switch (operation) {
    case 'change-level':
      return { value: { companyId, operation, level } };
    case 'update': {
      const price = readPrice(userPrice, subscription.currency, subscription.userMills);
      const users = /^\d{1,6}$/.test(minimumUsers.trim()) ? Number(minimumUsers) : null;
      return price === null || users === null
        ? {
            value: null,
            errors: {
              userPrice: price === null ? t.amountInvalid : null,
              minimumUsers: users === null ? t.wholeNumber : null,
            },
          }
        : { value: { companyId, operation, userMills: price, minimumUsers: users } };
    }
    case 'update-trial':
      if (trialEnd === '') return { value: { companyId, operation, trialEndsAt: null } };
      return isDay(trialEnd)
        ? {
            value: { companyId, operation, trialEndsAt: momentAt(addDays(trialEnd, 1), 0, zone) },
          }
        : { value: null, errors: { trialEnd: t.dayInvalid } };
    default:
      return { value: { companyId, operation } };
  }
}

function send(input: Preview): Promise<Result<unknown>> {
  const { companyId, operation } = input;
  const worker = client();
  switch (operation) {
    case 'change-level':
      return worker.ask('changeServiceLevel', { companyId, level: input.level ?? 'free' });
    case 'update':
      return worker.ask('updateSubscription', {
        companyId,
        userMills: input.userMills ?? 0,
        minimumUsers: input.minimumUsers ?? 0,
      });
    case 'update-trial':
      return worker.ask('updateTrial', { companyId, trialEndsAt: input.trialEndsAt ?? null });
    case 'rollback':
      return worker.ask('rollbackSubscription', { companyId });
    case 'forgive':
      return worker.ask('writeOffCompanyDebt', { companyId });
    case 'cancel':
      return worker.ask('cancelSubscription', { companyId });
    case 'delete':
      return worker.ask('deleteSubscriber', { companyId });
  }
}

const EMPTY = {};
