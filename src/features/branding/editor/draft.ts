import * as v from 'valibot';
import { ASSET_BYTES, brandEditCalls } from '#contract/branding/edit-calls.ts';
import { FeaturesSchema } from '#contract/branding/branding.ts';
import type { Branding, Features } from '#contract/branding/branding.ts';
import type { InputOf } from '#contract/calls.ts';
import type { LanguageTag } from '#contract/i18n/language-tags.ts';
import { findFormErrors } from '#src/ui/form-errors.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { COLOUR_NAMES } from './colours.ts';
import { brandingMessages as t } from './messages.en.ts';

/**
 * A branding as typed; an empty text means no value. Links of features may be incomplete while
 * typing.
 */
export interface BrandingDraft {
  readonly name: string;
  readonly title: string;
  readonly sidebarTitle: string;
  readonly supportEmail: string;
  readonly supportPhone: string;
  readonly accent: string;
  readonly accentDark: string;
  readonly sidebar: string;
  readonly sidebarDark: string;
  readonly sidebarLogoWidth: string;
  readonly sidebarLogoHeight: string;
  readonly language: LanguageTag;
  readonly timeZone: string;
  readonly dayBeginsHour: string;
  readonly offlineDays: string;
  readonly isStripeEnabled: boolean;
  readonly features: Features;
}
export type TextName = Exclude<keyof BrandingDraft, 'isStripeEnabled' | 'features' | 'language'>;

const NUMBERS = ['sidebarLogoWidth', 'sidebarLogoHeight', 'dayBeginsHour', 'offlineDays'] as const;
const TEXTS = ['name', 'title', 'sidebarTitle', 'timeZone'] as const;
const MAYBE = ['supportEmail', 'supportPhone', ...COLOUR_NAMES] as const;

const text = (value: string | number | null): string => (value === null ? '' : String(value));
const number = (typed: string): number | null => (typed.trim() === '' ? null : Number(typed));
const some = (typed: string | null): string | null =>
  typed === null || typed.trim() === '' ? null : typed.trim();

export function getBrandingDraft(branding: Branding): BrandingDraft {
  const { name, title, sidebarTitle, timeZone, isStripeEnabled } = branding;
  return {
    name,
    title,
    sidebarTitle,
    timeZone,
    isStripeEnabled,
    language: branding.language ?? 'en',
    supportEmail: text(branding.supportEmail),
    supportPhone: text(branding.supportPhone),
    accent: text(branding.accent),
    accentDark: text(branding.accentDark),
    sidebar: text(branding.sidebar),
    sidebarDark: text(branding.sidebarDark),
    sidebarLogoWidth: text(branding.sidebarLogoWidth),
    sidebarLogoHeight: text(branding.sidebarLogoHeight),
    dayBeginsHour: text(branding.dayBeginsHour),
    offlineDays: text(branding.offlineDays),
    features: v.parse(FeaturesSchema, branding.features),
  };
}

type Fields = Omit<InputOf<'editBranding'>, 'id'>;

/** Converts the draft to the input of the call. */
function getFields(draft: BrandingDraft): Fields {
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, draft[name].trim()])),
    ...Object.fromEntries(
      MAYBE.map((name) => [name, draft[name].trim() === '' ? null : draft[name].trim()]),
    ),
    ...Object.fromEntries(NUMBERS.map((name) => [name, number(draft[name])])),
    isStripeEnabled: draft.isStripeEnabled,
    language: draft.language,
    features: featuresIn(draft.features),
  };
}

/** Leaves out empty lines. */
function featuresIn(features: Features): Features {
  const { socialMedia, supportSection, office365, chat } = features;
  const { faq } = supportSection.links;
  const url = some(chat?.url ?? null);
  const script = some(chat?.script ?? null);
  const hosts = (chat?.hosts ?? []).map((host) => host.trim()).filter((host) => host !== '');
  return {
    ...features,
    socialMedia: {
      links: socialMedia.links.filter(
        ({ platform, link }) => platform.trim() !== '' || link.trim() !== '',
      ),
    },
    supportSection: {
      ...supportSection,
      links: { ...supportSection.links, faq: { ...faq, url: some(faq.url) } },
    },
    office365: {
      ...office365,
      restoreUrl: some(office365.restoreUrl),
      selfRegistration: {
        ...office365.selfRegistration,
        serviceLevels: office365.selfRegistration.serviceLevels.filter(
          ({ id, label }) => id.trim() !== '' || label.trim() !== '',
        ),
      },
    },
    chat:
      url === null && script === null ? null : { url, script, hosts: script === null ? [] : hosts },
  };
}

/** Returns only the changed values, or null if nothing changed. */
export function getBrandingChanges(draft: BrandingDraft, branding: Branding): Fields | null {
  const before: Readonly<Record<string, unknown>> = { ...getFields(getBrandingDraft(branding)) };
  const changed = Object.entries(getFields(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

const LINK = t.linkNotValid;
export const BRANDING_ERRORS = {
  'name': t.providerNameMissing,
  'title': t.titleMissing,
  'sidebarTitle': t.titleMissing,
  'supportEmail': t.emailNotValid,
  'supportPhone': t.phoneNotValid,
  'accent': t.colorNotValid,
  'accentDark': t.colorNotValid,
  'sidebar': t.colorOrNameNotValid,
  'sidebarDark': t.colorOrNameNotValid,
  'sidebarLogoWidth': t.logoSizeNotValid,
  'sidebarLogoHeight': t.logoSizeNotValid,
  'timeZone': t.timeZoneMissing,
  'dayBeginsHour': t.hourNotValid,
  'offlineDays': t.offlineDaysNotValid,
  'features.socialMedia.links': LINK,
  'features.socialMedia.links.*.platform': t.linkNameNotValid,
  'features.supportSection.links.faq.url': LINK,
  'features.office365.restoreUrl': LINK,
  'features.chat.url': LINK,
  'features.chat.script': t.chatScriptNotValid,
  'features.chat.hosts': t.chatHostsNotValid,
  'features.office365.selfRegistration': t.termsIncomplete,
};

/**
 * Returns the issues that the server would report for the changes, and those of unfinished fields.
 */
export function findDraftErrors(
  id: string,
  changes: Fields,
  {
    features: {
      chat,
      supportSection: {
        links: { faq },
      },
    },
  }: BrandingDraft,
): FormErrors {
  return {
    ...findFormErrors(brandEditCalls.editBranding.input, { id, ...changes }, BRANDING_ERRORS),
    ...(faq.enabled &&
      (faq.url ?? '').trim() === '' && { 'features.supportSection.links.faq.url': LINK }),
    ...(chat?.script?.trim() === '' && {
      'features.chat.script': BRANDING_ERRORS['features.chat.script'],
    }),
  };
}

/** What the editor holds: the fields, and the images to upload. */
export interface BrandingForm extends BrandingDraft {
  readonly pictures: Pictures;
}
export const getBrandingForm = (branding: Branding): BrandingForm => ({
  ...getBrandingDraft(branding),
  pictures: {},
});

export const makeBrandingSchema = (
  id: string,
  branding: Branding,
): FormSchema<BrandingForm, { readonly changes: Fields | null; readonly pictures: Pictures }> =>
  makeReadingSchema(({ pictures, ...draft }: BrandingForm) => {
    const changes = getBrandingChanges(draft, branding);
    return { value: { changes, pictures }, errors: findDraftErrors(id, changes ?? {}, draft) };
  });

/** A selected image that is not uploaded yet. `url`: an object URL of this page, for display. */
export interface ChosenPicture {
  readonly type: InputOf<'putBrandAsset'>['type'];
  readonly base64: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}
export type PictureName = InputOf<'putBrandAsset'>['name'];
/** `none`: the current image is to be removed. */
export type Pictures = Readonly<Partial<Record<PictureName, ChosenPicture | 'none' | undefined>>>;

/** Returns why a file cannot be used as an image of the portal, or null. */
export function findFileError(
  name: PictureName,
  { type, size }: { readonly type: string; readonly size: number },
): string | null {
  const kinds: readonly string[] =
    name === 'favicon'
      ? ['image/png', 'image/svg+xml', 'image/webp', 'image/x-icon', 'image/vnd.microsoft.icon']
      : ['image/png', 'image/svg+xml', 'image/webp'];
  if (!kinds.includes(type)) return name === 'favicon' ? t.iconTypeNotValid : t.logoTypeNotValid;
  return size > ASSET_BYTES ? t.fileTooLarge({ size: Math.ceil(size / 1_000) }) : null;
}

/** Returns the size that fits the fields, in the image's proportions. */
export function getMeasures({ width, height }: Pick<ChosenPicture, 'width' | 'height'>): {
  readonly sidebarLogoWidth: string;
  readonly sidebarLogoHeight: string;
} {
  if (width <= 0 || height <= 0) return { sidebarLogoWidth: '', sidebarLogoHeight: '' };
  const scale = Math.min(400 / width, 400 / height, 1);
  const grown = Math.max(scale, 8 / Math.min(width, height));
  const fit = (value: number): string =>
    String(Math.min(400, Math.max(8, Math.round(value * grown))));
  return { sidebarLogoWidth: fit(width), sidebarLogoHeight: fit(height) };
}
