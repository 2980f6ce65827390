import type { ReactNode, Ref } from 'react';

export interface EntryTableProps {
  /** `<Head>`s, first to last. */
  readonly heads: ReactNode;
  readonly caption?: string;
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLTableElement>;
  /** One `<tr>` per entry. */
  readonly children: ReactNode;
}

/** A table on wide screens, cards on a phone, where only screen readers get the header. */
export const EntryTable = ({ heads, caption, busy, ref, children }: EntryTableProps) => (
  <table
    ref={ref}
    aria-busy={busy}
    className="block w-full tablet:table tablet:table-fixed tablet:border-collapse"
  >
    {caption !== undefined && <caption className="sr-only">{caption}</caption>}
    <thead className="sr-only tablet:not-sr-only tablet:table-header-group">
      <tr className="h-9 border-t-2 border-b border-head-rule text-left text-agate text-ink-2">
        {heads}
      </tr>
    </thead>
    <tbody className="block tablet:table-row-group">{children}</tbody>
  </table>
);

export const TableHead = ({
  className = '',
  children,
}: {
  readonly className?: string;
  readonly children: ReactNode;
}) => (
  <th scope="col" className={`font-normal ${className}`}>
    {children}
  </th>
);
