import * as v from 'valibot';

/** What the page needs to know of the provider before anybody signs in. Colours are `#rrggbb`; addresses http(s) or same-origin paths. */
export const BrandingSchema = v.object({
  id: v.string(),
  name: v.string(),
  title: v.string(),
  favIconUrl: v.nullable(v.string()),
  apiUrl: v.string(),
  domain: v.string(),
  sidebarLogoUrl: v.nullable(v.string()),
  sidebarLogoWidth: v.nullable(v.number()),
  sidebarLogoHeight: v.nullable(v.number()),
  sidebarTitle: v.string(),
  supportEmail: v.nullable(v.string()),
  supportPhone: v.nullable(v.string()),
  authType: v.picklist(['ad', 'db']),
  isStripeEnabled: v.boolean(),
  accent: v.nullable(v.string()),
  accentDark: v.nullable(v.string()),
  sidebar: v.nullable(v.string()),
  sidebarDark: v.nullable(v.string()),
  /** IANA zone in which the provider's days begin, and the hour (0 to 23) at which they do. */
  timeZone: v.string(),
  dayBeginsHour: v.number(),
  /** Days that a signed-in user may open the product with no network. */
  offlineDays: v.number(),
});
export type Branding = v.InferOutput<typeof BrandingSchema>;
