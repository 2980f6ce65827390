import { formatList } from '#contract/i18n/list.ts';
import { Link } from '@tanstack/react-router';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { Badge } from '#src/ui/badge.tsx';
import { formatCount } from '#src/ui/format.ts';
import { adminProvidersMessages as t } from './messages.en.ts';

export interface ProviderListProps {
  readonly providers: readonly ProviderListed[];
  readonly offline: boolean;
  readonly onHosts: (of: ProviderListed) => void;
  readonly onInvite: (of: ProviderListed) => void;
}

/** A row per provider: columns on wide screens, a card on a phone. */
export function ProviderList({ providers, offline, onHosts, onInvite }: ProviderListProps) {
  const why = offline ? { 'data-tip': BASE.needsNetwork } : {};
  const getName = (id: string | null): string | null =>
    providers.find(({ _id }) => _id === id)?.name ?? null;
  return (
    <table className="block w-full desk:table desk:table-fixed desk:border-collapse">
      <caption className="sr-only">{t.providers}</caption>
      <thead className="sr-only desk:not-sr-only desk:table-header-group">
        <tr className="h-9 border-t-2 border-b border-head-rule text-left text-agate text-ink-2">
          <th scope="col" className="w-[26%] pl-5 font-normal">
            {t.provider}
          </th>
          <th scope="col" className="font-normal">
            {t.hostNames}
          </th>
          <th scope="col" className="w-24 text-right font-normal">
            {t.companies}
          </th>
          <th scope="col" className="w-20 text-right font-normal">
            {t.users}
          </th>
          <th scope="col" className="w-[528px] pr-5 font-normal">
            <span className="sr-only">{t.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody className="block desk:table-row-group">
        {providers.map((one) => {
          const { _id: id, name, hosts, own, master, companies, users } = one;
          const search = own ? {} : { provider: id };
          return (
            <tr
              key={id}
              id={id}
              className="grid gap-y-1 border-b border-hair px-4 py-2.5 desk:table-row desk:h-12 desk:p-0"
            >
              <th scope="row" className="min-w-0 text-left font-normal desk:pr-3 desk:pl-5">
                <span className="flex min-w-0 items-center gap-2">
                  <b className="truncate" data-tip={name}>
                    {name}
                  </b>
                  {own && <Badge>{t.thisPortal}</Badge>}
                </span>
                {!own && getName(master) !== null && (
                  <span className="block truncate text-agate text-ink-3">
                    {t.managedBy({ name: getName(master) ?? '' })}
                  </span>
                )}
              </th>
              <td className="min-w-0 text-ink-2 desk:pr-3">
                <span className="block truncate" data-tip={formatList(hosts, 'plain')}>
                  {hosts.length === 0
                    ? t.noHosts
                    : hosts.length > 2
                      ? t.moreHosts({
                          hosts: formatList(hosts.slice(0, 2), 'plain'),
                          count: hosts.length - 2,
                        })
                      : formatList(hosts, 'plain')}
                </span>
              </td>
              <td className="hidden text-right desk:table-cell">{formatCount(companies)}</td>
              <td className="hidden text-right desk:table-cell">{formatCount(users)}</td>
              <td className="text-agate text-ink-3 desk:hidden">
                {t.companyCount({ count: companies })}, {t.userCount({ count: users })}
              </td>
              <td className="-ml-2 flex flex-wrap gap-1 desk:ml-0 desk:table-cell desk:pr-4 desk:text-right desk:whitespace-nowrap">
                <CallButton
                  call="setHosts"
                  size="sm"
                  variant="quiet"
                  disabled={offline}
                  {...why}
                  aria-label={t.hostNamesOf({ name })}
                  onClick={() => onHosts(one)}
                >
                  {t.hostNames}
                </CallButton>
                <CallButton
                  call="inviteUser"
                  size="sm"
                  variant="quiet"
                  disabled={offline}
                  {...why}
                  aria-label={t.inviteTo({ name })}
                  onClick={() => onInvite(one)}
                >
                  {t.invite}
                </CallButton>
                <Link
                  to="/admin/branding"
                  search={search}
                  aria-label={t.brandingNamed({ name })}
                  className={LINK}
                >
                  {t.branding}
                </Link>
                <Link
                  to="/admin/settings"
                  search={search}
                  aria-label={t.settingsOf({ name })}
                  className={LINK}
                >
                  {t.settings}
                </Link>
                <Link
                  to="/admin/subscriptions"
                  search={{ provider: id }}
                  aria-label={t.subscriptionsOf({ name })}
                  className={LINK}
                >
                  {t.subscriptions}
                </Link>
                <Link
                  to="/admin/events"
                  search={search}
                  aria-label={t.eventsOf({ name })}
                  className={LINK}
                >
                  {t.events}
                </Link>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const LINK =
  'inline-flex h-7 items-center rounded-part px-2 text-ink-2 hover:bg-wash hover:text-ink pointer-coarse:h-11';
