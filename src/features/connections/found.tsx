import { formatList } from '#contract/i18n/list.ts';
import { type ReactNode, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { ENTITY_NAMES } from '#contract/connections/connection.ts';
import type { FoundEntities } from '#contract/connections/calls.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { connectionMessages as t } from './messages.en.ts';

export type FoundEntity = 'companies' | 'organizations' | 'jobs' | 'alarms' | 'licences';

export interface FoundDialogProps {
  readonly id: string;
  readonly name: string;
  readonly entity: FoundEntity;
  readonly unlinked: boolean;
  readonly companies: ReadonlyMap<number, string>;
  readonly zone: string;
  readonly onClose: () => void;
  /** Controls beside a row. `again` loads the list again. */
  readonly renderActions?: (row: FoundEntities, again: () => void) => ReactNode;
  readonly everyMs?: Ms | null;
}

const PAGE = 200;

/** Lists what the connection has discovered, by name, in pages. */
export function FoundDialog({
  id,
  name,
  entity,
  unlinked,
  companies,
  zone,
  onClose,
  renderActions,
  everyMs = null,
}: FoundDialogProps) {
  const [after, setAfter] = useState(0);
  const request = useCachedQuery(
    'listConnectionEntities',
    {
      id,
      entity,
      ...(unlinked && { unlinked: 'true' as const }),
      ...(after > 0 && { after: String(after) }),
    },
    { everyMs },
  );
  const { value } = request;
  return (
    <Dialog
      title={t.foundTitle({ what: unlinked ? UNLINKED[entity].title : ENTITY_NAMES[entity], name })}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{ui.close}</Button>
          {after > 0 && (
            <Button variant="quiet" onClick={() => setAfter(after - PAGE)}>
              {t.previous}
            </Button>
          )}
          {value !== null && value.total > after + PAGE && (
            <Button variant="quiet" onClick={() => setAfter(after + PAGE)}>
              {t.next({ count: Math.min(PAGE, value.total - after - PAGE) })}
            </Button>
          )}
        </>
      }
    >
      <div className="px-5 py-3">
        {value === null ? (
          request.failure === null ? (
            <DelayedFallback>
              <p className="m-0 text-ink-2">{t.loading}</p>
            </DelayedFallback>
          ) : (
            <p role="alert" className="m-0 text-failed">
              {request.failure.message}
            </p>
          )
        ) : value.rows.length === 0 ? (
          <p className="m-0 text-ink-2">{unlinked ? UNLINKED[entity].none : t.nothingFound}</p>
        ) : (
          <>
            <p className="m-0 pb-2 text-agate text-ink-3">
              {after > 0 || value.total > PAGE
                ? t.range({
                    from: after + 1,
                    to: Math.min(after + PAGE, value.total),
                    total: formatCount(value.total),
                  })
                : t.rowCount({ count: value.total })}
            </p>
            <ul className="m-0 list-none border-t border-rule p-0">
              {value.rows.map((row) => (
                <li
                  key={row.uid}
                  className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-hair py-1.5"
                >
                  <span className="min-w-0 grow basis-60">
                    <span className="block break-words">{row.name}</span>
                    <span className="block text-agate break-words text-ink-2">
                      {detailWords(
                        entity,
                        row,
                        row.companyN === null ? null : (companies.get(row.companyN) ?? null),
                        zone,
                      )}
                    </span>
                  </span>
                  {renderActions?.(row, request.again)}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** The list of what isn't linked: only companies and organizations have one. */
const COMPANIES_LEFT = { title: t.unlinkedTitle, none: t.allLinked };
const UNLINKED: Readonly<Record<FoundEntity, { readonly title: string; readonly none: string }>> = {
  companies: COMPANIES_LEFT,
  organizations: { title: t.unlinkedOrganizationsTitle, none: t.allOrganizationsLinked },
  jobs: COMPANIES_LEFT,
  alarms: COMPANIES_LEFT,
  licences: COMPANIES_LEFT,
};

/** The words of the server for how a session is, in ours. */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  Success: t.jobSucceeded,
  Warning: t.jobWarned,
  Failed: t.jobFailed,
  Stopped: t.jobStopped,
  Running: t.jobRunning,
  Queued: t.jobQueued,
  Disconnected: t.jobDisconnected,
};
const getStatusWord = (status: string): string => STATUS_WORDS[status] ?? t.jobUnknown;

/** Describes an item in one line. */
export function detailWords(
  entity: FoundEntity,
  { uid, detail }: Pick<FoundEntities, 'uid' | 'detail'>,
  company: string | null,
  zone: string,
): string {
  const said = (name: string): string => {
    const value = detail[name];
    return value === null || value === undefined || value === '' ? '' : String(value);
  };
  const at = Date.parse(said('at'));
  if (entity === 'companies')
    return company === null ? t.notLinked({ id: uid }) : t.linkedTo({ company });
  if (entity === 'organizations')
    return company === null
      ? t.notLinkedOrganization({ domain: said('domain') })
      : t.linkedTo({ company });
  if (entity === 'jobs') {
    const lastRun = Date.parse(said('lastRun'));
    return formatList(
      [
        company ?? said('server'),
        detail['enabled'] === false ? t.jobDisabled : '',
        Number.isFinite(lastRun)
          ? t.lastRun({
              status: getStatusWord(said('lastStatus')),
              when: formatWhen(lastRun, zone),
            })
          : t.neverRun,
      ].filter((word) => word !== ''),
      'plain',
    );
  }
  if (entity === 'alarms')
    return formatList(
      [
        said('severity'),
        said('object'),
        said('computer'),
        company ?? '',
        Number.isFinite(at) ? formatWhen(at, zone) : '',
      ].filter((word) => word !== ''),
      'plain',
    );
  const used = [
    said('usedUnits') && `${said('usedUnits')} ${said('unitType').toLowerCase()}`,
    said('usedCount') && t.inUse({ count: said('usedCount') }),
    said('newCount') && t.added({ count: said('newCount') }),
  ].filter((word) => word !== '');
  return formatList(
    [said('product'), said('workload'), ...used].filter((word) => word !== ''),
    'plain',
  );
}
