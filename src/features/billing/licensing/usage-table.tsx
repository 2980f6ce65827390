import type { LicensingLine } from '#contract/billing/licensing-calls.ts';
import { formatCount } from '#src/ui/format.ts';
import { productWords, UNIT_WORDS, workloadWords } from '../labels.ts';
import { USAGE_TABLE, USAGE_UNIT } from '../usage-style.ts';
import { licensingMessages as t } from './messages.en.ts';

export interface LicenseHolder {
  readonly key: string;
  readonly name: string;
  readonly detail?: string;
  readonly lines: readonly LicensingLine[];
}

/** Usage table: a heading per company or provider, and a line per product. */
export function UsageTable({
  caption,
  holders,
}: {
  readonly caption: string;
  readonly holders: readonly LicenseHolder[];
}) {
  return (
    <div className="overflow-x-auto">
      <table className={USAGE_TABLE}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-rule text-agate">
            <th scope="col">{t.product}</th>
            <th scope="col" className="text-right">
              {t.used}
            </th>
            <th scope="col">{t.unit}</th>
            <th scope="col" className="hidden text-right tablet:table-cell">
              {t.new}
            </th>
            <th scope="col" className="hidden text-right tablet:table-cell">
              {t.rental}
            </th>
            <th scope="col" className="hidden desk:table-cell">
              {t.source}
            </th>
          </tr>
        </thead>
        {holders.map(({ key, name, detail, lines }) => (
          <tbody key={key} className="border-b border-rule">
            <tr>
              <th
                scope="rowgroup"
                colSpan={6}
                className="px-4 pt-2.5 pb-1 font-semibold tablet:px-5"
              >
                <span className="break-words">{name}</span>
                {detail !== undefined && (
                  <span className="pl-2 text-agate font-normal text-ink-2">{detail}</span>
                )}
              </th>
            </tr>
            {lines.length === 0 && (
              <tr>
                <td colSpan={6} className="pb-2.5 text-ink-3">
                  {t.nothingUsed}
                </td>
              </tr>
            )}
            {lines.map(({ product, workload, unit, used, fresh, rental, source }) => (
              <tr
                key={`${product} ${workload} ${unit} ${source ?? ''}`}
                className="border-t border-hair"
              >
                <td className="min-w-32">
                  <span className="break-words">{productWords(product)}</span>
                  {workload !== '' && (
                    <span className="text-ink-2">, {workloadWords({ product, workload })}</span>
                  )}
                </td>
                <td className="text-right font-semibold tabular-nums">{formatCount(used)}</td>
                <td className={USAGE_UNIT}>{UNIT_WORDS[unit]}</td>
                <td className="hidden text-right tabular-nums tablet:table-cell">
                  {fresh === null ? '' : formatCount(fresh)}
                </td>
                <td className="hidden text-right tabular-nums tablet:table-cell">
                  {rental === null ? '' : formatCount(rental)}
                </td>
                <td className="hidden max-w-60 break-words text-ink-2 desk:table-cell">
                  {source ?? t.thisPortal}
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
