import { restoreVersionMessages as t } from './messages.en.ts';

/** A property of both sides of a comparison, as a person reads it; empty: there is no value. */
export interface ComparedRow {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly isSame: boolean;
}

/** The properties of both sides of a comparison; what differs is bold on the second side. */
export const PropertyTable = ({
  before,
  after,
  rows,
}: {
  /** The heads of the two sides. */
  readonly before: string;
  readonly after: string;
  readonly rows: readonly ComparedRow[];
}) => (
  <table className="w-full table-fixed border-collapse text-left">
    <thead>
      <tr className="border-b border-rule align-bottom">
        <th scope="col" className="w-24 py-1.5 font-normal text-ink-3">
          {t.property}
        </th>
        <th scope="col" className="py-1.5 pr-3">
          {before}
        </th>
        <th scope="col" className="py-1.5">
          {after}
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.name} className="border-b border-hair align-top">
          <th scope="row" className="py-1.5 font-normal text-ink-3">
            {row.name}
            {!row.isSame && <span className="sr-only"> ({t.differs})</span>}
          </th>
          <td className="py-1.5 pr-3 break-words">{row.before || t.none}</td>
          <td className={`py-1.5 break-words ${row.isSame ? '' : 'font-semibold'}`}>
            {row.after || t.none}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
