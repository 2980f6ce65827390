import type { UserLogLine } from '#contract/users/log-calls.ts';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { deviceWords } from './device.ts';
import { getId, isThe } from '../../shared/ids.ts';
import { getSentence } from '#contract/users/log-labels.ts';
import { userLogMessages as t } from './messages.en.ts';

/** A row per entry on wide screens, a card on a phone. */
export function LogList({
  rows,
  zone,
  busy,
}: {
  readonly rows: readonly UserLogLine[];
  readonly zone: string;
  readonly busy: boolean;
}) {
  return (
    <EntryTable
      busy={busy}
      heads={
        <>
          <TableHead className="w-40 pl-5">{t.time}</TableHead>
          <TableHead className="w-[22%]">{t.user}</TableHead>
          <TableHead>{t.action}</TableHead>
          <TableHead className="w-[20%]">{t.affectedUser}</TableHead>
          <TableHead className="w-[20%] pr-5">{t.origin}</TableHead>
        </>
      }
    >
      {rows.map((one) => (
        <Line key={getId(one)} one={one} zone={zone} />
      ))}
    </EntryTable>
  );
}

function Line({ one, zone }: { readonly one: UserLogLine; readonly zone: string }) {
  const who = one.actor ?? (one.isImpersonated ? null : one.user);
  const own = one.user !== null && isThe(getId(one.user), who);
  return (
    <tr className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-12 tablet:p-0">
      <td className="col-start-2 row-start-1 text-right whitespace-nowrap text-ink-2 tablet:pl-5 tablet:text-left">
        <time data-tip={formatUtc(one.at)}>{formatWhen(one.at, zone)}</time>
      </td>
      <td className="col-start-1 row-start-1 min-w-0 tablet:pr-3">
        <Name of={who} />
        {one.isImpersonated && (
          <span className="block truncate text-agate text-warning" data-tip={getName(one.user)}>
            {t.impersonating({ user: getName(one.user) })}
          </span>
        )}
      </td>
      <td className="col-span-2 min-w-0 break-words tablet:py-1.5 tablet:pr-3">
        {getSentence(one)}
      </td>
      <td className="col-start-1 min-w-0 text-ink-2 tablet:pr-3">
        {one.user === null ? (
          <span className="max-tablet:hidden">–</span>
        ) : own ? (
          <span className="truncate max-tablet:hidden">{t.sameUser}</span>
        ) : (
          <Name of={one.user} quiet />
        )}
      </td>
      <td className="col-span-2 min-w-0 text-ink-2 max-tablet:text-agate tablet:pr-5">
        <span className="block truncate" data-tip={one.ip}>
          {one.ip}
        </span>
        <span className="block truncate text-agate text-ink-3" data-tip={one.agent}>
          {deviceWords(one.agent)}
        </span>
      </td>
    </tr>
  );
}

/** A user without a name was deleted permanently. */
const getName = (of: UserLogLine['user']): string =>
  of === null ? t.unknownUser : (of.name ?? of.username ?? t.removedUser);

function Name({
  of,
  quiet = false,
}: {
  readonly of: UserLogLine['user'];
  readonly quiet?: boolean;
}) {
  return (
    <>
      <span className={`block truncate ${quiet ? '' : 'font-semibold'}`} data-tip={getName(of)}>
        {getName(of)}
      </span>
      {of?.username != null && (
        <span className="block truncate text-agate text-ink-3">{of.username}</span>
      )}
    </>
  );
}
