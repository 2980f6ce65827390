import { useState } from 'react';
import type { ReactNode } from 'react';
import type {
  CompanySubscription,
  SubscriptionOut,
  UsageMonthOut,
} from '#contract/billing/subscription-calls.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { hasSubject, OPERATION_TRIGGERS } from '#contract/billing/subscription-changes.ts';
import { canHappen } from '#machines/subscription.ts';
import { useNow } from '#src/app/clock.ts';
import { useBranding, useZone } from '#src/app/session/session.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Badge } from '#src/ui/badge.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { moneyWords } from '../labels.ts';
import { formatMonth } from '../../shared/format-month.ts';
import {
  describeNextStep,
  describePrice,
  formatQuantity,
  getLevelName,
  getUsageMark,
  getUsageState,
  showsReleased,
  STATUS_MARKS,
} from './labels.ts';
import { subscriptionMessages as t } from './messages.en.ts';
import { OPERATION_LABELS, OperationDialog, type Operation } from './operation-dialog.tsx';
import { InvoiceDialog } from './invoice-dialog.tsx';
import { UsageDialog } from './usage-dialog.tsx';

/** The state of a month, as a badge if somebody has to act. */
export function UsageState({ usage }: { readonly usage: UsageMonthOut }) {
  const mark = getUsageMark(usage);
  if (mark === null) return getUsageState(usage);
  return (
    <Badge tone={mark.tone}>
      <Icon name={mark.icon} size={12} />
      {getUsageState(usage)}
    </Badge>
  );
}

export const StatusBadge = ({ status }: Pick<SubscriptionOut, 'status'>) => {
  const { icon, tone } = STATUS_MARKS[status];
  return (
    <Badge tone={tone}>
      <Icon name={icon} size={12} />
      {t[status]}
    </Badge>
  );
};

/** The panel of a company: its subscription, what it may do now, and the usage of the month. */
export function SubscriptionDetails({
  row,
  isReadOnly = false,
  offline,
  onChanged,
  onDeleted,
}: {
  readonly row: CompanySubscription;
  /** Another provider's subscription, which only that provider changes. */
  readonly isReadOnly?: boolean;
  readonly offline: boolean;
  readonly onChanged: () => void;
  readonly onDeleted: () => void;
}) {
  const branding = useBranding();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 px-4 pt-3 pb-6 tablet:px-5">
      {row.isDeleted && <Callout tone="warning">{t.deletedCompany}</Callout>}
      {row.subscription !== null && (
        <TermsList
          row={{ ...row, subscription: row.subscription }}
          operations={isReadOnly || row.isPast === true ? NONE : row.isDeleted ? DEBT : ALL}
          levelNames={isReadOnly ? null : branding}
          offline={offline}
          onChanged={onChanged}
          onDeleted={onDeleted}
        />
      )}
      {row.usage !== null && (
        <Usage
          usage={row.usage}
          company={row.companyName}
          isReadOnly={isReadOnly}
          offline={offline}
          onChanged={onChanged}
        />
      )}
    </div>
  );
}

const ALL: readonly Operation[] = [
  'change-level',
  'update',
  'update-trial',
  'forgive',
  'cancel',
  'delete',
];
/** What a deleted company owes can still be written off. */
const DEBT: readonly Operation[] = ['forgive'];
const NONE: readonly Operation[] = [];
/** What a subscriber may do. */
export const OWN_OPERATIONS: readonly Operation[] = ['change-level', 'cancel'];

/** Whether the status allows an operation, by the same table that the server follows. */
const isPossible = (operation: Operation, row: SubscriptionOut): boolean =>
  hasSubject(operation, row) &&
  (operation === 'delete' || canHappen(row.status, OPERATION_TRIGGERS[operation]));

/** Terms, notes about money, and the operations that the status allows. */
export function TermsList({
  row,
  operations,
  levelNames,
  offline,
  onChanged,
  onDeleted = onChanged,
  soFar = null,
  children,
}: {
  readonly row: CompanySubscription & { readonly subscription: SubscriptionOut };
  /** Without any, the last change can't be undone either. */
  readonly operations: readonly Operation[];
  /** The provider's branding, which may name its levels. */
  readonly levelNames: Branding | null;
  readonly offline: boolean;
  readonly onChanged: () => void;
  readonly onDeleted?: () => void;
  /** What the current month costs until now. */
  readonly soFar?: string | null;
  /** Further buttons. */
  readonly children?: ReactNode;
}) {
  const zone = useZone();
  const [doing, setDoing] = useState<Operation | null>(null);
  const { subscription } = row;
  const { status, currency, owedMills, graceEndsAt, minimumUsers, undo } = subscription;
  const isPast = row.isPast === true;
  const now = useNow(60_000);
  const next = isPast ? null : describeNextStep(subscription, now, zone);
  const possible = operations.filter((operation) => isPossible(operation, subscription));
  const why = offline ? { 'disabled': true, 'data-tip': t.needsNetwork } : {};
  return (
    <section aria-label={t.terms} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-semibold">{getLevelName(subscription.level, levelNames)}</span>
        <StatusBadge status={status} />
      </div>
      {isPast && <p className="m-0 text-agate text-ink-3">{t.pastHint}</p>}
      {owedMills > 0 && (
        <Callout tone={status === 'payment_failed' ? 'warning' : 'failed'}>
          {(isPast ? t.owedThen : t.owed)({ amount: moneyWords(owedMills, currency) })}{' '}
          {!isPast &&
            (graceEndsAt !== null && status === 'payment_failed'
              ? t.graceUntil({ when: formatWhen(graceEndsAt, zone) })
              : status === 'ended'
                ? t.owedAfterEnd
                : status !== 'pending' && t.stoppedHint)}
        </Callout>
      )}
      <ul className="m-0 list-none border-t border-rule p-0 text-ink-2 [&>li]:border-b [&>li]:border-hair [&>li]:py-1.5">
        <li>{describePrice(subscription)}</li>
        {minimumUsers > 0 && <li>{t.minimum({ count: minimumUsers })}</li>}
        <li>{subscription.hasCard ? t.paysByCard : t.paysByInvoice}</li>
        {next !== null && <li>{next}</li>}
        {soFar !== null && <li>{soFar}</li>}
      </ul>
      <div className="flex flex-wrap gap-2 empty:hidden">
        {undo !== null && operations.length > 0 && isPossible('rollback', subscription) && (
          <Button size="sm" icon="undo" {...why} onClick={() => setDoing('rollback')}>
            {t.undoLabel({ operation: OPERATION_LABELS[undo.operation] })}
          </Button>
        )}
        {possible.map((operation) => (
          <Button key={operation} size="sm" {...why} onClick={() => setDoing(operation)}>
            {OPERATION_LABELS[operation]}
          </Button>
        ))}
        {children}
      </div>
      {doing !== null && (
        <OperationDialog
          operation={doing}
          row={row}
          onClose={() => setDoing(null)}
          onDone={() => {
            setDoing(null);
            if (doing === 'delete') onDeleted();
            else onChanged();
          }}
        />
      )}
    </section>
  );
}

function Usage({
  usage,
  company,
  isReadOnly,
  offline,
  onChanged,
}: {
  readonly usage: UsageMonthOut;
  readonly company: string;
  readonly isReadOnly: boolean;
  readonly offline: boolean;
  readonly onChanged: () => void;
}) {
  const zone = useZone();
  const mutation = useServerMutation();
  const [isChanging, setIsChanging] = useState(false);
  const [isInvoicing, setIsInvoicing] = useState(false);
  const { _id: usageId, ack, acknowledged, changed, currency, invoice, lines } = usage;
  const why = offline ? { 'disabled': true, 'data-tip': t.needsNetwork } : {};
  const toggle = async (): Promise<void> => {
    const answer = await mutation.send(() =>
      client().ask(ack ? 'unackUsage' : 'ackUsage', { usageId }),
    );
    if (answer.ok) onChanged();
  };
  return (
    <section
      aria-label={t.usage({ month: formatMonth(usage.year, usage.month) })}
      className="grid grid-cols-[minmax(0,1fr)] gap-3"
    >
      <h3 className="m-0 text-body font-semibold">
        {t.usage({ month: formatMonth(usage.year, usage.month) })}
      </h3>
      <p className="m-0 text-agate text-ink-3">
        {usage.isOver
          ? t.usageHint
          : `${t.usageHint} ${t.usageNotOver({ month: formatMonth(usage.year, usage.month) })}`}
      </p>
      <dl className="m-0 grid grid-cols-[minmax(0,1fr)_auto_auto] border-t border-rule [&>*]:border-b [&>*]:border-hair [&>*]:py-1.5 [&>dd]:m-0 [&>dd]:text-right [&>dd]:tabular-nums">
        {lines.map(({ kind, quantity, priceMills, amountMills }) => (
          <div
            key={`${kind} ${priceMills}`}
            className="contents [&>*]:border-b [&>*]:border-hair [&>*]:py-1.5"
          >
            <dt>{t[kind]}</dt>
            <dd className="m-0 pl-4 text-right text-ink-2 tabular-nums">
              {formatQuantity(quantity)} × {moneyWords(priceMills, currency)}
            </dd>
            <dd className="m-0 pl-4 text-right tabular-nums">
              {moneyWords(amountMills, currency)}
            </dd>
          </div>
        ))}
        <dt className="font-semibold">
          {t.total({ month: formatMonth(usage.year, usage.month) })}
        </dt>
        <dd />
        <dd className="pl-4 font-semibold">{moneyWords(usage.totalMills, currency)}</dd>
      </dl>
      {changed !== null && (
        <p className="m-0 text-ink-2">
          {t.changedBy({
            name: changed.name,
            when: formatWhen(changed.at, zone),
            users: formatQuantity(usage.users),
            gigabytes: formatQuantity(usage.gigabytes),
          })}
        </p>
      )}
      <p className="m-0 text-ink-2">
        {invoice !== null
          ? t.invoiced({ number: invoice })
          : acknowledged === null
            ? t.notAcknowledged
            : t.acknowledgedBy({
                name: acknowledged.name,
                when: formatWhen(acknowledged.at, zone),
              })}
      </p>
      {invoice === null && usage.isByCard && usage.error == null && (
        <p className="m-0 text-ink-2">{t.paidAtStripe}</p>
      )}
      {showsReleased(usage) && (
        <Callout tone="warning">{usage.isByCard ? t.releasedByCard : t.released}</Callout>
      )}
      {usage.error != null && (
        <Callout tone="failed">
          {usage.error.kind !== 'differs'
            ? t[usage.error.kind]
            : t.differs({
                net: moneyWords(usage.error.netMills, currency),
                total: moneyWords(usage.error.totalMills, currency),
                amount: moneyWords(usage.totalMills, currency),
              })}{' '}
          {t[`${usage.error.kind}Hint`]}
        </Callout>
      )}
      {mutation.failure !== null && (
        <Callout tone="failed" alert>
          {getFailureText(mutation.failure)}
        </Callout>
      )}
      {invoice === null && !isReadOnly && (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" busy={mutation.busy} {...why} onClick={() => void toggle()}>
            {ack ? t.unacknowledge : t.acknowledge}
          </Button>
          <Button size="sm" {...why} onClick={() => setIsChanging(true)}>
            {t.change}
          </Button>
          {ack && usage.isOver && (!usage.isByCard || usage.error != null) && (
            <Button size="sm" {...why} onClick={() => setIsInvoicing(true)}>
              {t.createInvoice}
            </Button>
          )}
        </div>
      )}
      {isInvoicing && (
        <InvoiceDialog
          usage={usage}
          company={company}
          onClose={() => setIsInvoicing(false)}
          onDone={() => {
            setIsInvoicing(false);
            onChanged();
          }}
        />
      )}
      {isChanging && (
        <UsageDialog
          usage={usage}
          company={company}
          onClose={() => setIsChanging(false)}
          onDone={() => {
            setIsChanging(false);
            onChanged();
          }}
        />
      )}
    </section>
  );
}
