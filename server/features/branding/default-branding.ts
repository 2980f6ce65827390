import { PLAIN_BRANDING, PLAIN_FEATURES } from '#contract/branding/branding.ts';
import type { Branding, Features } from '#contract/branding/branding.ts';
import { LIMITS } from '#contract/limits.ts';

/** The branding of a provider that has configured none: the default blue and a plain name. */
export const defaultBranding = (id: string, name: string, domain: string): Branding => ({
  id,
  name,
  title: 'Portal',
  favIconUrl: null,
  apiUrl: '/api/v1',
  domain,
  sidebarLogoUrl: null,
  sidebarLogoWidth: null,
  sidebarLogoHeight: null,
  sidebarTitle: 'Portal',
  supportEmail: null,
  supportPhone: null,
  authType: 'db',
  isStripeEnabled: false,
  accent: null,
  accentDark: null,
  sidebar: null,
  sidebarDark: null,
  timeZone: 'UTC',
  dayBeginsHour: 0,
  offlineDays: LIMITS.offlineDays,
  ...PLAIN_BRANDING,
  features: STANDARD,
});

/** A new provider's features. The others need configuration first: support, invoices, cards. */
const STANDARD: Features = {
  ...PLAIN_FEATURES,
  rules: true,
  hints: true,
  reporting: { enabled: true, visibleFor: ['all'] },
  office365: {
    ...PLAIN_FEATURES.office365,
    restorePortal: { outlook: true, onedrive: true, sharepoint: true, teams: true },
  },
};
