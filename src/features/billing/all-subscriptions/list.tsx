import { useRef } from 'react';
import type { ProviderSubscription } from '#contract/billing/all-subscription-calls.ts';
import { getBilledQuantity } from '#contract/billing/usage-months.ts';
import { useBranding, useZone } from '#src/app/session/session.ts';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { OpenName, SortHead } from '../../shared/lists/list-parts.tsx';
import { useRowKeys } from '../../shared/lists/use-row-keys.ts';
import { moneyWords } from '../labels.ts';
import { StatusBadge } from '../subscriptions/details.tsx';
import { formatQuantity, getLevelName, getUsageState } from '../subscriptions/labels.ts';
import type { SubscriptionsPlace } from './address.ts';
import { describeNext, describePayment } from './labels.ts';
import { allSubscriptionMessages as t } from './messages.en.ts';

export interface SubscriptionListProps {
  readonly rows: readonly ProviderSubscription[];
  readonly sort: SubscriptionsPlace['sort'];
  readonly open: string | null;
  readonly busy: boolean;
  readonly onSort: (sort: SubscriptionsPlace['sort']) => void;
  readonly onOpen: (companyId: string) => void;
}

/** A row per subscription on wide screens, a card on a phone. */
export function SubscriptionList({
  rows,
  sort,
  open,
  busy,
  onSort,
  onOpen,
}: SubscriptionListProps) {
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  // Only the first columns fit beside the panel.
  const wide = open === null ? 'hidden desk:table-cell' : 'hidden';
  const middle = open === null ? 'hidden tablet:table-cell' : 'hidden';
  return (
    <EntryTable
      ref={table}
      caption={t.title}
      busy={busy}
      heads={
        <>
          <SortHead label={t.company} by="company" sort={sort} className="pl-5" onSort={onSort} />
          <SortHead
            label={t.provider}
            by="provider"
            sort={sort}
            className={`w-[17%] ${wide}`}
            onSort={onSort}
          />
          <SortHead
            label={t.status}
            by="status"
            sort={sort}
            className="w-[168px]"
            onSort={onSort}
          />
          <SortHead
            label={t.users}
            by="users"
            sort={sort}
            className={`w-20 text-right ${middle}`}
            onSort={onSort}
          />
          <SortHead
            label={t.amount}
            by="amount"
            sort={sort}
            className={`w-28 text-right ${open === null ? '' : 'pr-5'}`}
            onSort={onSort}
          />
          <TableHead className={`w-36 pl-5 ${wide}`}>{t.usage}</TableHead>
          <SortHead
            label={t.next}
            by="next"
            sort={sort}
            className={`w-28 ${middle} pl-5 desk:pl-0`}
            onSort={onSort}
          />
          <TableHead className={`w-36 pr-5 ${middle}`}>{t.payment}</TableHead>
        </>
      }
    >
      {rows.map((row) => (
        <Row
          key={row.companyId}
          row={row}
          isOpen={open === row.companyId}
          isNarrow={open !== null}
          wide={wide}
          middle={middle}
          onOpen={() => onOpen(row.companyId)}
        />
      ))}
    </EntryTable>
  );
}

function Row({
  row,
  isOpen,
  isNarrow,
  wide,
  middle,
  onOpen,
}: {
  readonly row: ProviderSubscription;
  readonly isOpen: boolean;
  /** A panel is open beside the list. */
  readonly isNarrow: boolean;
  readonly wide: string;
  readonly middle: string;
  readonly onOpen: () => void;
}) {
  const branding = useBranding();
  const zone = useZone();
  const { companyId, companyName, provider, organizations, subscription, usage, payment } = row;
  const users = getBilledQuantity(usage?.lines ?? [], 'users');
  const level = usage?.level ?? subscription?.level;
  const next = describeNext(row, zone);
  const levelName =
    level === undefined ? null : getLevelName(level, provider.own ? branding : null);
  return (
    <tr
      className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-12 tablet:p-0 ${isOpen ? 'bg-wash' : ''}`}
    >
      <td className="min-w-0 tablet:pr-3 tablet:pl-5">
        <OpenName
          id={companyId}
          name={companyName}
          below={[levelName, ...organizations].filter((name) => name !== null).join(' · ')}
          open={isOpen}
          onOpen={onOpen}
        />
        <span
          className={`block pb-1 text-agate break-words text-ink-3 ${isNarrow ? '' : 'desk:hidden'}`}
        >
          {provider.name}
        </span>
      </td>
      <td className={`${wide} truncate pr-3 text-ink-2`} data-tip={provider.name}>
        {provider.name}
      </td>
      <td className="col-start-1 row-start-2 pt-1 tablet:pt-0">
        {subscription === null ? (
          <span className="text-ink-3">{t.noSubscription}</span>
        ) : (
          <StatusBadge status={subscription.status} />
        )}
      </td>
      <td className={`${middle} text-right text-ink-2 tabular-nums`}>
        {users === undefined ? '–' : formatQuantity(users)}
      </td>
      <td
        className={`col-start-2 row-start-1 pt-1 text-right tabular-nums tablet:pt-0 ${isNarrow ? 'tablet:pr-5' : ''}`}
      >
        {usage === null ? '–' : moneyWords(usage.totalMills, usage.currency)}
        {users !== undefined && (
          <span className="block text-agate text-ink-3 tablet:hidden">
            {t.userCount({ count: users / 100 })}
          </span>
        )}
      </td>
      <td className={`${wide} pl-5 text-ink-2`}>{usage === null ? '–' : getUsageState(usage)}</td>
      <td className={`${middle} pl-5 text-ink-2 desk:pl-0`}>
        {next === null ? (
          '–'
        ) : (
          <>
            <span className="block tabular-nums">{next.day}</span>
            <span className="block text-agate text-ink-3">{next.step}</span>
          </>
        )}
      </td>
      <td className={`${middle} pr-5 ${payment === 'unpaid' ? 'text-failed' : 'text-ink-2'}`}>
        {describePayment(row)}
      </td>
      <td
        className={`col-start-2 row-start-2 pt-1 text-right tablet:hidden ${payment === 'unpaid' ? 'text-failed' : 'text-ink-2'}`}
      >
        {describePayment(row)}
      </td>
      <td className="col-span-2 row-start-3 pt-1 text-agate text-ink-3 empty:hidden tablet:hidden">
        {[
          ...(usage === null ? [] : [getUsageState(usage)]),
          ...(next === null ? [] : [t.nextOn(next)]),
        ].join(' · ')}
      </td>
    </tr>
  );
}
