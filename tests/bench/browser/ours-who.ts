import { PLAIN_BRANDING } from '#contract/brand/branding.ts';
import { PLAIN } from '#tests/me.ts';
import { OWNER } from './questions.ts';

/** Of no concern to an opening: loaded with the data alone. */
export const ME = { id: OWNER.user, username: 'bench', name: 'Bench', email: 'bench@example.com', roles: ['operator' as const], companies: null, serviceProviderId: OWNER.tenant, ...PLAIN };
export const BRANDING = {
  id: OWNER.tenant, name: 'Bench', title: 'Portal', favIconUrl: null, apiUrl: '/api/v1', domain: 'localhost', sidebarLogoUrl: null, sidebarLogoWidth: null,
  sidebarLogoHeight: null, sidebarTitle: 'Portal', supportEmail: null, supportPhone: null, authType: 'db' as const, isStripeEnabled: false, accent: null,
  accentDark: null, sidebar: null, sidebarDark: null, timeZone: 'Europe/Berlin', dayBeginsHour: 0, offlineDays: 7, ...PLAIN_BRANDING
};
