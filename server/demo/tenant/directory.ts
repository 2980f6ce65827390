import { deltaPage } from './delta.ts';
import { GraphError, badRequest, resourceNotFound } from './graph-error.ts';
import type { GraphApp } from './graph-env.ts';
import { digest } from './ids.ts';
import {
  type GraphEntity,
  graphUrl,
  pageEntities,
  listPage,
  selectProperties,
  readQuery,
} from './odata.ts';
import {
  type Person,
  SKU,
  USER_DEFAULTS,
  findPerson,
  listChangedPeople,
  listPeople,
  userEntity,
} from './people.ts';
import { checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';

/** The organization, its users and licenses. */
export function addDirectoryRoutes(app: GraphApp, tenant: Tenant): void {
  app.get('/organization', (c) => {
    checkPermission(c.get('caller'), 'readOrganization');
    return c.json(
      pageEntities(tenant, c.req.raw, [organizationEntity(tenant)], {
        type: 'organization',
        normal: 100,
        max: 999,
      }),
    );
  });
  app.get('/subscribedSkus', (c) => {
    checkPermission(c.get('caller'), 'readLicenses');
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#subscribedSkus`,
      'value': [skuEntity(tenant)],
    });
  });
  app.get('/users', (c) => {
    checkPermission(c.get('caller'), 'readUsers');
    return c.json(
      listPage(tenant, c.req.raw, listPeople(tenant), userEntity, {
        type: 'user',
        normal: 100,
        max: 999,
        always: USER_DEFAULTS,
        advanced: true,
      }),
    );
  });
  app.get('/users/delta', (c) => {
    checkPermission(c.get('caller'), 'readUsers');
    return c.json(userDelta(tenant, c.req.raw));
  });
  app.get('/me', (c) => {
    const caller = c.get('caller');
    checkPermission(caller, 'readMe');
    const person = findUser(tenant, caller.personId ?? '');
    const { select } = readQuery(new URL(c.req.url));
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#users/$entity`,
      ...selectProperties(userEntity(person), select, 'user', USER_DEFAULTS),
    });
  });
  app.get('/users/:user', (c) => {
    checkPermission(c.get('caller'), 'readUsers');
    const person = findUser(tenant, c.req.param('user'));
    const { select } = readQuery(new URL(c.req.url));
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#users/$entity`,
      ...selectProperties(userEntity(person), select, 'user', USER_DEFAULTS),
    });
  });
  app.get('/users/:user/mailboxSettings', (c) => {
    checkPermission(c.get('caller'), 'readMailboxSettings');
    const person = findUser(tenant, c.req.param('user'));
    if (person.mailbox === 'none' || person.mailbox === 'inactive')
      throw new GraphError(
        404,
        'MailboxNotEnabledForRESTAPI',
        'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
      );
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#users('${person.id}')/mailboxSettings`,
      'timeZone': 'UTC',
      'userPurpose': person.mailbox,
    });
  });
}

/** @throws GraphError 404 */
export function findUser(tenant: Tenant, key: string): Person {
  const person = findPerson(tenant, key);
  if (!person || person.removed) throw resourceNotFound(key);
  return person;
}

/** Deleted users can be restored for a while: their reason is `changed`. */
function userDelta(tenant: Tenant, request: Request): GraphEntity {
  const url = new URL(request.url);
  if (url.searchParams.has('$top') || url.searchParams.has('$orderby'))
    throw badRequest('$top and $orderby are not supported for delta queries.');
  return deltaPage(tenant, request, {
    scope: 'users',
    kind: 'directory',
    type: 'user',
    normalPage: 200,
    maxPage: 999,
    tokens: { next: '$skiptoken', done: '$deltatoken' },
    gone: () =>
      new GraphError(410, 'syncStateNotFound', 'The sync state is not found.', {
        location: `${graphUrl(tenant)}/users/delta?$deltatoken=`,
      }),
    changes: (state, limit) =>
      listChangedPeople(tenant, state.at, state.until)
        .filter((person) => state.since > 0 || !person.removed)
        .slice(0, limit)
        .map((person) => ({
          seq: person.seq,
          entity: person.removed
            ? { 'id': person.id, '@removed': { reason: 'changed' } }
            : selectProperties(userEntity(person), state.select, 'user', USER_DEFAULTS),
        })),
  });
}

function organizationEntity(tenant: Tenant): GraphEntity {
  return {
    id: tenant.id,
    deletedDateTime: null,
    businessPhones: [],
    city: 'Saltmarsh',
    country: null,
    countryLetterCode: 'GB',
    createdDateTime: '2019-03-04T08:00:00Z',
    defaultUsageLocation: 'GB',
    displayName: tenant.name,
    marketingNotificationEmails: [],
    onPremisesLastSyncDateTime: null,
    onPremisesSyncEnabled: null,
    partnerTenantType: null,
    postalCode: null,
    preferredLanguage: 'en',
    securityComplianceNotificationMails: [],
    securityComplianceNotificationPhones: [],
    state: null,
    street: null,
    technicalNotificationMails: [`it@${tenant.domain}`],
    tenantType: 'AAD',
    assignedPlans: [],
    provisionedPlans: [],
    verifiedDomains: [
      {
        capabilities: 'Email, OfficeCommunicationsOnline',
        isDefault: true,
        isInitial: true,
        name: tenant.domain,
        type: 'Managed',
      },
    ],
  };
}

function skuEntity(tenant: Tenant): GraphEntity {
  const consumed = listPeople(tenant).filter(({ licensed }) => licensed).length;
  return {
    id: `${tenant.id}_${SKU.id}`,
    accountId: tenant.id,
    accountName: digest(tenant.seed, 'account').toString('hex').slice(0, 12),
    appliesTo: 'User',
    capabilityStatus: 'Enabled',
    consumedUnits: consumed,
    prepaidUnits: { enabled: consumed + 5, suspended: 0, warning: 0, lockedOut: 0 },
    servicePlans: SKU.plans.map((plan) => ({
      appliesTo: 'User',
      provisioningStatus: 'Success',
      servicePlanId: plan.id,
      servicePlanName: plan.name,
    })),
    skuId: SKU.id,
    skuPartNumber: SKU.part,
    subscriptionIds: [],
  };
}
