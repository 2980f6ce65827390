import type { Ms } from '#contract/ids.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { Button } from '#src/ui/button.tsx';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatAge, formatBytes, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { SOURCE_STATES } from './source-rows.ts';
import type { SourceRow } from './source-rows.ts';
import { sourceMessages as t } from './messages.en.ts';

export interface SourceListProps {
  readonly rows: readonly SourceRow[];
  readonly zone: string;
  readonly now: Ms;
  readonly offline: boolean;
  readonly onRotate: (row: SourceRow) => void;
  readonly onRevoke: (row: SourceRow) => void;
}

/** A row per key: two lines on wide screens, a card of three lines on a phone. */
export function SourceList(props: SourceListProps) {
  return (
    <EntryTable
      heads={
        <>
          <TableHead className="w-[25%] pl-5">{t.source}</TableHead>
          <TableHead className="w-[18%]">{t.company}</TableHead>
          <TableHead>{t.state}</TableHead>
          <TableHead className="w-36">{t.created}</TableHead>
          <TableHead className="w-28">{t.lastReport}</TableHead>
          <TableHead className="w-44 pr-5">
            <span className="sr-only">{t.actions}</span>
          </TableHead>
        </>
      }
    >
      {props.rows.map((row) => (
        <Row key={row.key.id} {...props} row={row} />
      ))}
    </EntryTable>
  );
}

function Row({
  row,
  zone,
  now,
  offline,
  onRotate,
  onRevoke,
}: Omit<SourceListProps, 'rows'> & { readonly row: SourceRow }) {
  const { key, company, heardAt, error, state, today } = row;
  const { label, icon, text } = SOURCE_STATES[state];
  const over = state === 'revoked';
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  return (
    <tr
      id={`source-${key.id}`}
      className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-12 tablet:p-0 ${over ? 'text-ink-3' : ''}`}
    >
      <td className="min-w-0 tablet:pr-3 tablet:pl-5">
        <span className={`block truncate ${over ? '' : 'font-semibold'}`} data-tip={key.name}>
          {key.name}
        </span>
        <span className="block truncate text-agate text-ink-3">
          {t.toolAndKey({ tool: SOURCE_NAMES[key.tool], hint: key.hint })}
        </span>
      </td>
      <td className="row-start-2 min-w-0 truncate tablet:pr-3" data-tip={company}>
        {company}
      </td>
      <td className={`row-start-3 min-w-0 tablet:pr-3 ${text}`}>
        <span className="flex items-center gap-1.5">
          <Icon name={icon} />
          <span className="truncate">{label}</span>
        </span>
        {state === 'faulty' && error !== null && (
          <span className="block truncate pl-[22px] text-agate text-ink-2" data-tip={error.message}>
            {error.message}
          </span>
        )}
        {!over && today !== null && today.refusedAt !== null && (
          <span className="block truncate pl-[22px] text-agate text-warning" data-tip={OVER_LIMIT}>
            {OVER_LIMIT}
          </span>
        )}
        {over && key.revokedAt !== null && (
          <span className="block pl-[22px] text-agate">{formatWhen(key.revokedAt, zone)}</span>
        )}
      </td>
      <td className="hidden whitespace-nowrap text-ink-2 tablet:table-cell">
        <time data-tip={formatUtc(key.madeAt)}>{formatWhen(key.madeAt, zone)}</time>
        {key.rotatedAt !== null && (
          <span className="block text-agate text-ink-3" data-tip={formatWhen(key.rotatedAt, zone)}>
            {t.newSecretAge({ age: formatAge(key.rotatedAt, now) })}
          </span>
        )}
      </td>
      <td className="col-start-2 row-start-1 text-right whitespace-nowrap text-ink-2 tablet:text-left">
        {heardAt === undefined || heardAt === null ? (
          <span className="text-ink-3">{heardAt === null ? t.never : '–'}</span>
        ) : (
          <time data-tip={`${formatWhen(heardAt, zone)}, ${formatUtc(heardAt)}`}>
            {formatAge(heardAt, now)}
          </time>
        )}
        {!over && today !== null && today.bytes > 0 && (
          <span
            className="block text-agate text-ink-3"
            data-tip={t.storedOf({ size: formatBytes(today.limitBytes) })}
          >
            {t.storedToday({ size: formatBytes(today.bytes) })}
          </span>
        )}
      </td>
      <td className="col-span-2 tablet:pr-4">
        {!over && (
          <span className="-ml-2 flex gap-1 tablet:ml-0 tablet:justify-end">
            <CallButton
              call="rotateKey"
              size="sm"
              variant="quiet"
              disabled={offline}
              {...why}
              aria-label={t.newSecretNamed({ name: key.name })}
              onClick={() => onRotate(row)}
            >
              {t.newSecret}
            </CallButton>
            <Button
              size="sm"
              variant="quiet"
              disabled={offline}
              {...why}
              aria-label={t.revokeNamed({ name: key.name })}
              onClick={() => onRevoke(row)}
            >
              {t.revoke}
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}

const OVER_LIMIT = t.storageLimit;
