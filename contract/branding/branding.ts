import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { RoleSchema } from '../role-schema.ts';

const on = v.optional(v.boolean(), false);
const name = v.pipe(v.string(), v.maxLength(LIMITS.nameChars));
const TERMS_CHARS = 100_000;
const link = v.pipe(
  v.string(),
  v.maxLength(2_000),
  v.regex(/^(https?:\/\/[^\s\\]+|\/(?![/\\])[^\s\\]*|(mailto|tel):[^\p{Cc}\\]+)$/u),
);
/** What stands in a content policy: a name of the internet, nothing that would end the line. */
const NAME = String.raw`(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,63}`;
const WIDGET = new RegExp(String.raw`^https:\/\/${NAME}(?::\d{1,5})?\/[\w./~%?=&+-]*$`, 'i');
const HOST = new RegExp(String.raw`^(?:\*\.)?${NAME}$`, 'i');

/** Switches of what a portal shows, as the specification names them. What is left out is off. */
export const FeaturesSchema = v.object({
  rules: on,
  hints: on,
  reporting: v.optional(
    v.object({
      enabled: on,
      visibleFor: v.optional(
        v.pipe(v.array(v.union([RoleSchema, v.literal('all')])), v.maxLength(10)),
        ['all'],
      ),
    }),
    { enabled: false, visibleFor: ['all'] },
  ),
  footer: on,
  socialMedia: v.optional(
    v.object({
      links: v.pipe(
        v.array(v.object({ platform: v.pipe(v.string(), v.maxLength(32)), link })),
        v.maxLength(50),
      ),
    }),
    { links: [] },
  ),
  supportSection: v.optional(
    v.object({
      enabled: on,
      links: v.optional(
        v.object({
          request: on,
          live: on,
          downloads: on,
          faq: v.optional(v.object({ enabled: on, url: v.optional(v.nullable(link), null) }), {
            enabled: false,
            url: null,
          }),
        }),
        { request: false, live: false, downloads: false, faq: { enabled: false, url: null } },
      ),
    }),
    {
      enabled: false,
      links: { request: false, live: false, downloads: false, faq: { enabled: false, url: null } },
    },
  ),
  invoice_automation: on,
  billing: v.optional(v.object({ ccCollection: on }), { ccCollection: false }),
  office365: v.optional(
    v.object({
      selfRegistration: v.optional(
        v.object({
          termsOfUse: v.optional(
            v.nullable(
              v.object({
                title: name,
                text: v.pipe(v.string(), v.maxLength(TERMS_CHARS)),
                version: name,
              }),
            ),
            null,
          ),
          serviceLevels: v.optional(
            v.pipe(v.array(v.object({ id: name, label: name })), v.maxLength(100)),
            [],
          ),
        }),
        { termsOfUse: null, serviceLevels: [] },
      ),
      restoreUrl: v.optional(v.nullable(link), null),
      restorePortal: v.optional(
        v.object({ outlook: on, onedrive: on, sharepoint: on, teams: on }),
        { outlook: false, onedrive: false, sharepoint: false, teams: false },
      ),
    }),
    {
      selfRegistration: { termsOfUse: null, serviceLevels: [] },
      restoreUrl: null,
      restorePortal: { outlook: false, onedrive: false, sharepoint: false, teams: false },
    },
  ),
  /** What the specification hangs on single providers' numbers is a switch here. */
  privacyPolicy: on,
  chat: v.optional(
    v.nullable(
      v.object({
        /** A page of its own, opened beside the portal. */
        url: v.optional(v.nullable(link), null),
        /**
         * A widget inside the portal, in a frame whose policy allows this script, and nothing but
         * its host and `hosts`.
         */
        script: v.optional(
          v.nullable(v.pipe(v.string(), v.maxLength(2_000), v.regex(WIDGET))),
          null,
        ),
        hosts: v.optional(
          v.pipe(v.array(v.pipe(v.string(), v.maxLength(255), v.regex(HOST))), v.maxLength(20)),
          [],
        ),
      }),
    ),
    null,
  ),
});
export type Features = v.InferOutput<typeof FeaturesSchema>;

/** A portal that has switched nothing on. */
export const PLAIN_FEATURES: Features = v.parse(FeaturesSchema, {});

/**
 * What the page needs to know of the provider before anybody signs in. Colours are `#rrggbb`;
 * addresses http(s) or same-origin paths.
 */
export const BrandingSchema = v.object({
  id: v.string(),
  name: v.string(),
  title: v.string(),
  favIconUrl: v.nullable(v.string()),
  /**
   * Where other programs find the API. The page itself calls the address that it came from,
   * whatever stands here.
   */
  apiUrl: v.string(),
  domain: v.string(),
  sidebarLogoUrl: v.nullable(v.string()),
  /** In place of the other in the dark theme. */
  sidebarLogoDarkUrl: v.optional(v.nullable(v.string()), null),
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
  features: v.optional(FeaturesSchema, {}),
  /**
   * Other ways to sign in that the sign-in page offers: the button's words, null where there is
   * none.
   */
  oidc: v.optional(v.nullable(v.string()), null),
  passkeys: v.optional(v.boolean(), true),
  /** An account is unlocked and a password found by questions, on the pages of the directory. */
  securityQuestions: v.optional(v.boolean(), false),
});
export type Branding = v.InferOutput<typeof BrandingSchema>;

/** What a branding that says nothing of it has. */
export const PLAIN_BRANDING = {
  sidebarLogoDarkUrl: null,
  features: PLAIN_FEATURES,
  oidc: null,
  passkeys: true,
  securityQuestions: false,
} as const;
