import * as v from 'valibot';
import { LANGUAGE_TAGS } from '../i18n/language-tags.ts';
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
/** A host name in a content security policy. It can't contain characters that end the directive. */
const NAME = String.raw`(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,63}`;
const WIDGET = new RegExp(String.raw`^https:\/\/${NAME}(?::\d{1,5})?\/[\w./~%?=&+-]*$`, 'i');
const HOST = new RegExp(String.raw`^(?:\*\.)?${NAME}$`, 'i');

/** Feature switches of a portal, named as in the specification. Switches left out are off. */
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
  /** Features that the specification ties to the numbers of single providers are switches here. */
  privacyPolicy: on,
  chat: v.optional(
    v.nullable(
      v.object({
        /** A separate page that opens next to the portal. */
        url: v.optional(v.nullable(link), null),
        /**
         * A widget in a frame inside the portal. The policy of the frame allows only this script,
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

/** Features with everything switched off. */
export const PLAIN_FEATURES: Features = v.parse(FeaturesSchema, {});

/**
 * The part of a provider that the page needs before sign-in. Colors are `#rrggbb`; addresses are
 * http(s) or same-origin paths.
 */
export const BrandingSchema = v.object({
  id: v.string(),
  name: v.string(),
  title: v.string(),
  favIconUrl: v.nullable(v.string()),
  /**
   * Where other programs find the API. The page itself always calls its own origin and ignores this
   * value.
   */
  apiUrl: v.string(),
  domain: v.string(),
  sidebarLogoUrl: v.nullable(v.string()),
  /** Replaces the other logo in the dark theme. */
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
  /** IANA zone of the provider's days, and the hour (0 to 23) at which they begin. */
  timeZone: v.string(),
  dayBeginsHour: v.number(),
  /** The language of the portal, for users who choose none; null for English. */
  language: v.optional(v.nullable(v.picklist(LANGUAGE_TAGS)), null),
  /** Number of days for which a signed-in user may open the portal offline. */
  offlineDays: v.number(),
  features: v.optional(FeaturesSchema, {}),
  /** Other sign-in methods of the sign-in page. `oidc`: the button's label; null if not offered. */
  oidc: v.optional(v.nullable(v.string()), null),
  passkeys: v.optional(v.boolean(), true),
  /** Whether restore operators can sign in on Microsoft's page, without a code. */
  microsoft: v.optional(v.boolean(), false),
  /**
   * Whether users can unlock their account and reset their password with security questions, on the
   * pages of the directory.
   */
  securityQuestions: v.optional(v.boolean(), false),
});
export type Branding = v.InferOutput<typeof BrandingSchema>;

/** Values for branding stored without these fields. */
export const PLAIN_BRANDING = {
  language: null,
  sidebarLogoDarkUrl: null,
  features: PLAIN_FEATURES,
  oidc: null,
  passkeys: true,
  microsoft: false,
  securityQuestions: false,
} as const;
