import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import {
  canCommandJobs,
  COLLECTOR_NAMES,
  ENTITY_NAMES,
  type Entity,
  OWNERS_OF,
} from '#contract/connections/connection.ts';
import type { CollectionOut, ConnectionOut } from '#contract/connections/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatAge, formatTime, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { SectionLink } from '../shared/section-link.tsx';
import type { FoundEntity } from './found.tsx';
import { everyChoices } from './form.ts';
import { COLLECTION_STATES, rowsText, getConnectionState } from './status-badge.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { connectionMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

export interface ConnectionProps {
  readonly one: ConnectionOut;
  /** The company of the results; null if the connection covers many. */
  readonly company: string | null;
  readonly zone: string;
  readonly now: Ms;
  readonly offline: boolean;
  readonly onSync: (entity?: Entity) => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  readonly onFound: (entity: FoundEntity, unlinked: boolean) => void;
}

/** A connection: status, required action, and each of its parts. */
export function Connection({
  one,
  company,
  zone,
  now,
  offline,
  onSync,
  onEdit,
  onRemove,
  onFound,
}: ConnectionProps) {
  const state = getConnectionState(one);
  const { unlinked } = one.companies;
  const owners = OWNERS_OF[one.kind];
  const net = { disabled: offline, ...(offline && { 'data-tip': MESSAGES.needsNetwork }) };
  const every = everyChoices(one.everySec).find(([sec]) => sec === one.everySec)?.[1] ?? '';
  const head = `connection-${getId(one)}`;
  const licences = one.collections.find(({ entity }) => entity === 'licences');
  return (
    <section
      aria-labelledby={head}
      className="border-t-2 border-head-rule px-4 pt-3 pb-6 tablet:px-5"
    >
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 grow basis-80">
          <h2 id={head} className="m-0 text-head break-words">
            {one.name}
          </h2>
          <p className="m-0 break-words text-ink-2">
            {company === null
              ? t.summary({ system: COLLECTOR_NAMES[one.kind], address: one.address })
              : t.summaryCompany({
                  system: COLLECTOR_NAMES[one.kind],
                  address: one.address,
                  company,
                })}
          </p>
          <p className="m-0 flex flex-wrap items-center gap-x-3">
            <span className={`flex items-center gap-1.5 ${state.text}`}>
              <Icon name={state.icon} />
              {state.label}
            </span>
            <span className="text-agate text-ink-3">
              {every}
              {one.user !== null && ` · ${t.user({ name: one.user })}`}
              {one.certificate !== null && ` · ${t.certificatePinned}`}
            </span>
          </p>
        </div>
        <span className="flex flex-wrap gap-1">
          <Button
            size="sm"
            icon="sync"
            {...net}
            disabled={offline || !one.enabled}
            aria-label={t.syncNowNamed({ name: one.name })}
            onClick={() => onSync()}
          >
            {t.syncNow}
          </Button>
          <CallButton
            call="editConnection"
            size="sm"
            variant="quiet"
            {...net}
            aria-label={t.editNamed({ name: one.name })}
            onClick={onEdit}
          >
            {ui.edit}
          </CallButton>
          <CallButton
            call="deleteConnection"
            size="sm"
            variant="quiet"
            {...net}
            aria-label={ui.removeItem({ name: one.name })}
            onClick={onRemove}
          >
            {ui.remove}
          </CallButton>
        </span>
      </div>
      {unlinked > 0 && (
        <p className="m-0 flex flex-wrap items-center gap-x-3 pt-2">
          <span className="flex items-center gap-1.5 text-warning">
            <Icon name="warning" />
            {owners === 'organizations'
              ? t.unlinkedOrganizations({ count: unlinked })
              : t.unlinked({ count: unlinked })}
          </span>
          <Button
            size="sm"
            variant="quiet"
            className="-ml-2"
            onClick={() => onFound(owners ?? 'companies', true)}
          >
            {owners === 'organizations' ? t.showUnlinkedOrganizations : t.showUnlinked}
          </Button>
          <SectionLink href="/monitoring/companies" className="text-accent underline">
            {t.linkCompanies}
          </SectionLink>
        </p>
      )}
      <table className="mt-3 block w-full tablet:table tablet:table-fixed tablet:border-collapse">
        <caption className="sr-only">{t.partsOf({ name: one.name })}</caption>
        <thead className="sr-only tablet:not-sr-only tablet:table-header-group">
          <tr className="h-8 border-b border-rule text-left text-agate text-ink-2">
            <th scope="col" className="w-[24%] font-normal">
              {t.part}
            </th>
            <th scope="col" className="font-normal">
              {t.state}
            </th>
            <th scope="col" className="w-32 font-normal">
              {t.lastRead}
            </th>
            <th scope="col" className="w-[24%] font-normal">
              {t.rows}
            </th>
            <th scope="col" className="w-24 font-normal">
              <span className="sr-only">{t.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody className="block tablet:table-row-group">
          {one.collections.map((part) => (
            <Part
              key={part.entity}
              part={part}
              of={one}
              zone={zone}
              now={now}
              offline={offline}
              onSync={onSync}
            />
          ))}
        </tbody>
      </table>
      <p className="m-0 flex flex-wrap gap-1 pt-2">
        {owners !== null && (
          <Button
            size="sm"
            variant="quiet"
            className="-ml-2"
            onClick={() => onFound(owners, false)}
          >
            {owners === 'organizations' ? t.allOrganizations : t.allCompanies}
          </Button>
        )}
        {canCommandJobs(one.kind) && (
          <Button size="sm" variant="quiet" onClick={() => onFound('jobs', false)}>
            {t.serverJobs}
          </Button>
        )}
        {one.alarms > 0 && (
          <Button size="sm" variant="quiet" onClick={() => onFound('alarms', false)}>
            {t.activeAlarms({ count: one.alarms })}
          </Button>
        )}
        {(licences?.rows ?? 0) > 0 && (
          <Button size="sm" variant="quiet" onClick={() => onFound('licences', false)}>
            {t.licenses}
          </Button>
        )}
      </p>
    </section>
  );
}

interface PartProps extends Pick<ConnectionProps, 'zone' | 'now' | 'offline' | 'onSync'> {
  readonly part: CollectionOut;
  readonly of: ConnectionOut;
}

function Part({ part, of, zone, now, offline, onSync }: PartProps) {
  const { label, icon, text } = COLLECTION_STATES[part.status];
  const rows = rowsText(part);
  const name = ENTITY_NAMES[part.entity];
  const failed = part.fails > 0;
  return (
    <tr className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair py-1.5 tablet:table-row tablet:h-9 tablet:py-0">
      <th scope="row" className="min-w-0 truncate text-left font-normal tablet:pr-3">
        {name}
      </th>
      <td className={`col-span-2 row-start-2 min-w-0 tablet:py-1.5 tablet:pr-3 ${text}`}>
        <span className="flex items-center gap-1.5">
          <Icon name={icon} />
          {part.fails > 1 ? t.failedTimes({ state: label, count: part.fails }) : label}
        </span>
        {failed && part.error !== null && (
          <span className="block pl-[22px] text-agate font-normal break-words text-ink-2">
            {part.error}
            {part.nextAt !== null &&
              part.nextAt > now &&
              ` ${t.nextTry({ time: formatTime(part.nextAt, zone) })}`}
          </span>
        )}
      </td>
      <td className="col-start-2 row-start-1 text-right whitespace-nowrap text-ink-2 tablet:text-left">
        {part.succeededAt === null ? (
          <span className="text-ink-3">{t.never}</span>
        ) : (
          <time data-tip={`${formatWhen(part.succeededAt, zone)}, ${formatUtc(part.succeededAt)}`}>
            {formatAge(part.succeededAt, now)}
          </time>
        )}
      </td>
      <td
        className={`col-span-2 min-w-0 text-agate break-words tablet:pr-3 ${part.unlinked > 0 ? 'text-warning' : 'text-ink-2'}`}
      >
        {rows !== '' && <span className="tablet:hidden">{t.rowsLabel} </span>}
        {rows}
      </td>
      <td className="col-span-2 tablet:text-right">
        {failed && (
          <Button
            size="sm"
            variant="quiet"
            className="-ml-2 tablet:ml-0"
            disabled={offline || !of.enabled}
            {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
            aria-label={t.tryNowNamed({ part: name, name: of.name })}
            onClick={() => onSync(part.entity)}
          >
            {t.tryNow}
          </Button>
        )}
      </td>
    </tr>
  );
}
