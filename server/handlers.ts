import { factorHandlers } from './account/factors.ts';
import { actingHandlers } from './account/acting.ts';
import { apiKeyHandlers } from './account/keys.ts';
import { emailHandlers } from './account/email.ts';
import { loginTokenHandlers } from './account/login-token.ts';
import { accountHandlers } from './account/handlers.ts';
import { oidcHandlers } from './account/oidc.ts';
import { preferenceHandlers } from './account/preferences.ts';
import { ownSessionHandlers } from './account/own-sessions.ts';
import { passwordHandlers } from './account/password-change.ts';
import { profileHandlers } from './account/profile.ts';
import { recoveryHandlers } from './account/recovery.ts';
import { recoveryLinkHandlers } from './account/recovery-link.ts';
import { ssoHandlers } from './account/sso.ts';
import { brandHandlers } from './brand/handlers.ts';
import { settingsHandlers } from './brand/settings.ts';
import type { Handlers } from './http/handler.ts';
import { collectorHandlers } from './monitoring/collectors/handlers.ts';
import { computerHandlers } from './monitoring/computers.ts';
import { jobHandlers } from './monitoring/desk-jobs.ts';
import { viewHandlers } from './monitoring/desk-views.ts';
import { evidenceHandlers } from './monitoring/evidence.ts';
import { executionHandlers } from './monitoring/executions.ts';
import { ingestHandlers } from './monitoring/ingest.ts';
import { keyHandlers } from './monitoring/keys.ts';
import { reportingHandlers } from './monitoring/reporting/handlers.ts';
import { repositoryHandlers } from './monitoring/repositories.ts';
import { hintHandlers } from './monitoring/hints/handlers.ts';
import { notifyHandlers } from './monitoring/notify/handlers.ts';
import { webhookHandlers } from './monitoring/notify/webhook-handlers.ts';
import { searchHandlers } from './monitoring/search/handlers.ts';
import { slaHandlers } from './monitoring/sla/handlers.ts';
import { licensingHandlers } from './billing/handlers.ts';
import { customerHandlers } from './billing/customer-handlers.ts';
import { invoiceHandlers } from './billing/invoice-handlers.ts';
import { quickBooksHandlers } from './billing/quickbooks-handlers.ts';
import { ruleHandlers } from './monitoring/rules/handlers.ts';
import { syncHandlers } from './sync/handlers.ts';
import { adoptHandlers } from './desk/ticket-adopt.ts';
import { remoteHandlers } from './desk/remote-handlers.ts';
import { supportHandlers } from './desk/support.ts';
import { ticketHandlers } from './desk/ticket-handlers.ts';
import { ticketingHandlers } from './desk/ticketing-handlers.ts';
import { adminHandlers } from './admin/handlers.ts';
import { brandEditHandlers } from './brand/edit.ts';
import { companyHandlers } from './people/companies.ts';
import { invitationHandlers } from './people/invitations.ts';
import { notificationHandlers } from './account/notifications.ts';
import { logHandlers } from './people/logs.ts';
import { providerHandlers } from './people/providers.ts';
import { userEndHandlers } from './people/user-ends.ts';
import { userKeyHandlers } from './people/user-keys.ts';
import { userListHandlers } from './people/user-list.ts';
import { userHandlers } from './people/users.ts';
import { reportHandlers } from './reports/handlers.ts';
import type { AppContext } from './world.ts';

/** Every call of the contract has its handler here: one that is missing does not compile. */
export const allHandlers = (world: AppContext): Handlers => ({
  ...brandHandlers(world),
  ...settingsHandlers(world),
  ...oidcHandlers(world),
  ...ssoHandlers(world),
  ...accountHandlers(world),
  ...factorHandlers(world),
  ...preferenceHandlers(world),
  ...syncHandlers(world),
  ...executionHandlers(world),
  ...viewHandlers(world),
  ...ruleHandlers(world),
  ...hintHandlers(world),
  ...slaHandlers(world),
  ...searchHandlers(world),
  ...notifyHandlers(world),
  ...webhookHandlers(world),
  ...licensingHandlers(world),
  ...invoiceHandlers(world),
  ...quickBooksHandlers(world),
  ...customerHandlers(world),
  ...jobHandlers(world),
  ...computerHandlers(world),
  ...repositoryHandlers(world),
  ...evidenceHandlers(world),
  ...reportingHandlers(world),
  ...keyHandlers(world),
  ...ingestHandlers(world),
  ...collectorHandlers(world),
  ...recoveryHandlers(world),
  ...recoveryLinkHandlers(world),
  ...profileHandlers(world),
  ...emailHandlers(world),
  ...apiKeyHandlers(world),
  ...passwordHandlers(world),
  ...ownSessionHandlers(world),
  ...actingHandlers(world),
  ...loginTokenHandlers(world),
  ...userListHandlers(world),
  ...userHandlers(world),
  ...userEndHandlers(world),
  ...userKeyHandlers(world),
  ...companyHandlers(world),
  ...providerHandlers(world),
  ...invitationHandlers(world),
  ...notificationHandlers(world),
  ...logHandlers(world),
  ...adminHandlers(world),
  ...reportHandlers(world),
  ...brandEditHandlers(world),
  ...ticketHandlers(world),
  ...adoptHandlers(world),
  ...ticketingHandlers(world),
  ...remoteHandlers(world),
  ...supportHandlers(world),
});
