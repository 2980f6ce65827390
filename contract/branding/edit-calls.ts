import * as v from 'valibot';
import { call } from '../call.ts';
import { LANGUAGE_TAGS } from '../i18n/language-tags.ts';
import { LIMITS } from '../limits.ts';
import { anyTenantId } from '../paging.ts';
import { BrandingSchema, FeaturesSchema } from './branding.ts';
import { oneLine } from '../text-schema.ts';
import { isTimeZone } from '../time/day.ts';

const short = (min: number) =>
  v.pipe(v.string(), oneLine(), v.trim(), v.minLength(min), v.maxLength(LIMITS.nameChars));
const colour = v.nullable(
  v.pipe(
    v.string(),
    v.regex(/^#[\da-f]{6}$/i, 'a colour such as #0a64c8'),
    v.transform((text) => text.toLowerCase()),
  ),
);
/** `blue`: the portal's default sidebar. */
const sidebarColor = v.nullable(
  v.pipe(
    v.string(),
    v.regex(/^(#[\da-f]{6}|blue)$/i, 'a color such as #0a64c8, or blue'),
    v.transform((text) => text.toLowerCase()),
  ),
);
/** A path on this site, or an http(s) address without credentials. */
const picture = v.nullable(
  v.pipe(
    v.string(),
    v.maxLength(2_000),
    v.regex(
      /^(https?:\/\/(?![^/]*@)[^\s\\]+|\/(?![/\\])[^\s\\]*)$/,
      'an http(s) address or a path of this site',
    ),
  ),
);
const size = v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(8), v.maxValue(400)));

/**
 * The branding fields that the provider chooses. The others (`id`, `domain`, `apiUrl`, `authType`,
 * sign-in) derive from other settings.
 */
const BRAND_FIELDS = {
  name: short(1),
  title: short(1),
  favIconUrl: picture,
  sidebarLogoUrl: picture,
  sidebarLogoDarkUrl: picture,
  sidebarLogoWidth: size,
  sidebarLogoHeight: size,
  sidebarTitle: short(1),
  supportEmail: v.nullable(v.pipe(v.string(), v.trim(), v.maxLength(254), v.email())),
  supportPhone: v.nullable(
    v.pipe(v.string(), v.trim(), v.maxLength(40), v.regex(/^[+\d][\d\s().-]*$/)),
  ),
  isStripeEnabled: v.boolean(),
  accent: colour,
  accentDark: colour,
  sidebar: sidebarColor,
  sidebarDark: sidebarColor,
  timeZone: v.pipe(v.string(), v.maxLength(64), v.check(isTimeZone, 'an IANA time zone')),
  language: v.nullable(v.picklist(LANGUAGE_TAGS)),
  dayBeginsHour: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(23)),
  offlineDays: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(30)),
  features: v.strictObject(FeaturesSchema.entries),
};

export const ASSET_NAMES = ['logo', 'logo-dark', 'favicon'] as const;
export const ASSET_TYPES = [
  'image/svg+xml',
  'image/png',
  'image/x-icon',
  'image/jpeg',
  'image/webp',
] as const;
export const ASSET_BYTES = 200_000;

export const brandEditCalls = {
  editBranding: call({
    method: 'PUT',
    path: 'service-providers/{id}/branding',
    summary:
      "Changes the branding fields that are sent, for the caller's own provider or one below.",
    input: v.strictObject({ id: anyTenantId, ...v.partial(v.strictObject(BRAND_FIELDS)).entries }),
    output: BrandingSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  getProviderBranding: call({
    method: 'GET',
    path: 'service-providers/{id}/branding',
    summary: 'Returns the branding of a provider that the caller manages.',
    input: v.strictObject({ id: anyTenantId }),
    output: BrandingSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  putBrandAsset: call({
    method: 'POST',
    path: 'service-providers/{id}/assets',
    summary:
      'Uploads a branding image of at most 200 kB. Active content is removed from SVG files.',
    input: v.strictObject({
      id: anyTenantId,
      name: v.picklist(ASSET_NAMES),
      type: v.picklist(ASSET_TYPES),
      base64: v.pipe(
        v.string(),
        v.minLength(4),
        v.maxLength(Math.ceil(ASSET_BYTES / 3) * 4),
        v.regex(/^[A-Za-z\d+/]+={0,2}$/),
      ),
    }),
    output: v.object({ url: v.string(), bytes: v.number(), changed: v.boolean() }),
    gate: 'admin.dashboard',
    failures: ['not-found', 'too-large'],
  }),
} as const;
