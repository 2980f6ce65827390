import { formatList } from '#contract/i18n/list.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatCount, formatDate, formatUtc } from '#src/ui/format.ts';
import { OpenName, SortHead } from '../shared/lists/list-parts.tsx';
import { getId } from '../shared/ids.ts';
import type { CompanySort } from './address.ts';
import { applicationWords } from './form.ts';
import { companyMessages as t } from './messages.en.ts';

export interface CompanyListProps {
  readonly rows: readonly CompanyListed[];
  readonly open: string | null;
  readonly sort: CompanySort;
  readonly zone: string;
  readonly busy: boolean;
  /** The side panel is open, so only the first columns fit. */
  readonly narrow: boolean;
  readonly onSort: (sort: CompanySort) => void;
  readonly onOpen: (id: string) => void;
}

/** A row per company on wide screens, a card on a phone. */
export function CompanyList({
  rows,
  open,
  sort,
  zone,
  busy,
  narrow,
  onSort,
  onOpen,
}: CompanyListProps) {
  const wide = narrow ? 'hidden' : 'hidden desk:table-cell';
  return (
    <EntryTable
      busy={busy}
      heads={
        <>
          <SortHead label={t.company} by="name" sort={sort} onSort={onSort} className="pl-5" />
          <TableHead className="w-20 pr-4 text-right">{t.jobs}</TableHead>
          <TableHead className="w-20 pr-4 text-right">{t.sources}</TableHead>
          <TableHead className="w-20 pr-6 text-right">{t.users}</TableHead>
          <TableHead className={`w-[22%] ${wide}`}>{t.otherSystems}</TableHead>
          <TableHead className={`w-[20%] ${wide}`}>{t.usersToNotify}</TableHead>
          <SortHead
            label={t.created}
            by="madeAt"
            sort={sort}
            onSort={onSort}
            className={`w-28 ${wide}`}
          />
        </>
      }
    >
      {rows.map((company) => {
        const details = formatList(
          company.notify.map(({ name }) => name),
          'plain',
        );
        const systems = applicationWords(company.applications);
        return (
          <tr
            key={getId(company)}
            className={`block cursor-pointer border-b border-hair px-4 py-2 tablet:table-row tablet:h-11 tablet:p-0 ${open === getId(company) ? 'bg-accent-wash' : 'hover:bg-wash'}`}
            onClick={(event) => {
              if (!(event.target instanceof Element && event.target.closest('button')))
                onOpen(getId(company));
            }}
          >
            <td className="block min-w-0 tablet:table-cell tablet:pr-3 tablet:pl-5">
              <OpenName
                id={getId(company)}
                name={company.name}
                open={open === getId(company)}
                onOpen={() => onOpen(getId(company))}
                below={company.veeamId === null ? '' : t.veeamIdOf({ id: company.veeamId })}
              />
            </td>
            <Count of={company.jobs} format={t.jobCount} className="tablet:pr-4" />
            <Count of={company.keys} format={t.sourceCount} className="tablet:pr-4" />
            <Count of={company.users.length} format={t.userCount} className="tablet:pr-6" last />
            <td className={`${wide} min-w-0 truncate pr-3 text-ink-2`} data-tip={systems}>
              {systems}
            </td>
            <td className={`${wide} min-w-0 truncate pr-3 text-ink-2`} data-tip={details}>
              {details === '' ? '–' : details}
            </td>
            <td className={`${wide} whitespace-nowrap text-ink-2`}>
              <time data-tip={formatUtc(company.madeAt)}>{formatDate(company.madeAt, zone)}</time>
            </td>
          </tr>
        );
      })}
    </EntryTable>
  );
}

/** A number in its column; as text on a phone. */
function Count({
  of,
  format,
  className,
  last = false,
}: {
  readonly of: number;
  readonly format: (values: { count: number }) => string;
  readonly className: string;
  readonly last?: boolean;
}) {
  return (
    <td
      className={`inline text-ink-2 max-tablet:pr-1 tablet:table-cell tablet:text-right ${className}`}
    >
      <span className="max-tablet:hidden">
        {of === 0 ? <span className="text-ink-3">0</span> : formatCount(of)}
      </span>
      <span className="text-agate tablet:hidden">
        {format({ count: of })}
        {last ? '' : ','}
      </span>
    </td>
  );
}
