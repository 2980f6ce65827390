import { formatList } from '#contract/i18n/list.ts';
import { Link } from '@tanstack/react-router';
import type { ProviderSubscription } from '#contract/billing/all-subscription-calls.ts';
import type { OutputOf } from '#contract/calls.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { billingAddress } from '../subscriptions/address.ts';
import { SubscriptionDetails } from '../subscriptions/details.tsx';
import { allSubscriptionMessages as t } from './messages.en.ts';

export interface SubscriptionPanelProps {
  readonly row: ProviderSubscription;
  readonly month: Pick<OutputOf<'listAllSubscriptions'>, 'month' | 'year'>;
  /** Host names of the provider. */
  readonly hosts: readonly string[];
  readonly offline: boolean;
  readonly onChanged: () => void;
  readonly onDeleted: () => void;
}

/**
 * A subscription with what may be done with it. Another provider's is changed in that provider's own
 * portal, by its own administrators.
 */
export function SubscriptionPanel({
  row,
  month: { month, year },
  hosts,
  offline,
  onChanged,
  onDeleted,
}: SubscriptionPanelProps) {
  const { provider, companyId, organizations, subscription } = row;
  const { _id: providerId } = provider;
  const features = useBranding()?.features ?? null;
  const roles = useMe()?.roles ?? [];
  const inBilling = billingAddress({ month, year, text: '', open: companyId });
  const [host] = hosts;
  return (
    <>
      <dl className="m-0 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 px-4 pt-3 tablet:px-5 [&>dd]:m-0 [&>dd]:break-words [&>dt]:text-ink-3">
        <dt>{t.provider}</dt>
        <dd>
          <Link to="/admin/providers" hash={providerId} className={LINK}>
            {provider.name}
          </Link>
        </dd>
        <dt>{t.organizations}</dt>
        <dd>
          {organizations.length === 0 ? t.noOrganizations : formatList(organizations, 'plain')}
        </dd>
      </dl>
      <ul className="m-0 flex list-none flex-wrap gap-x-5 gap-y-1 px-4 pt-2 tablet:px-5">
        {provider.own && mayOpen(PAGES['/o365/billing'], roles, features) && (
          <li>
            <SectionLink href={inBilling} className={LINK}>
              {t.inBilling}
            </SectionLink>
          </li>
        )}
        {!provider.own && host !== undefined && (
          <li>
            <a
              href={`${location.protocol}//${withPort(host)}${inBilling}`}
              target="_blank"
              rel="noreferrer"
              className={LINK}
            >
              {t.inPortal({ provider: provider.name })}
            </a>
          </li>
        )}
        {subscription !== null && (
          <li>
            <SectionLink href={getEventsAddress(provider, subscription)} className={LINK}>
              {t.events}
            </SectionLink>
          </li>
        )}
      </ul>
      {!provider.own && (
        <p className="m-0 px-4 pt-3 text-ink-2 tablet:px-5">
          {t.otherProvider({ provider: provider.name })}
        </p>
      )}
      <SubscriptionDetails
        row={row}
        isReadOnly={!provider.own}
        offline={offline}
        onChanged={onChanged}
        onDeleted={onDeleted}
      />
    </>
  );
}

const getEventsAddress = (
  { _id: provider, own }: ProviderSubscription['provider'],
  { _id: id }: NonNullable<ProviderSubscription['subscription']>,
): string =>
  `/admin/events?${new URLSearchParams({
    ...(!own && { provider }),
    entity: `subscription:${id}`,
  }).toString()}`;

/** All portals of a server are on the same port. */
const withPort = (host: string): string =>
  location.port === '' ? host : `${host}:${location.port}`;

const LINK =
  'text-accent underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center';
