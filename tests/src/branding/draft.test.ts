import { expect, test } from 'vitest';
import { brandEditCalls } from '#contract/branding/edit-calls.ts';
import { PLAIN_BRANDING } from '#contract/branding/branding.ts';
import type { Branding } from '#contract/branding/branding.ts';
import {
  getBrandingChanges,
  findDraftErrors,
  getBrandingDraft,
  findFileError,
  getMeasures,
} from '#src/features/branding/editor/draft.ts';
import * as v from 'valibot';

const BRANDING: Branding = {
  id: 'p',
  name: 'Provider',
  title: 'Portal',
  favIconUrl: null,
  apiUrl: '/api/v1',
  domain: 'localhost',
  sidebarLogoUrl: '/brand/logo?v=1',
  sidebarLogoWidth: 120,
  sidebarLogoHeight: 24,
  sidebarTitle: 'Portal',
  supportEmail: null,
  supportPhone: null,
  authType: 'db',
  isStripeEnabled: false,
  accent: '#0a64c8',
  accentDark: null,
  sidebar: null,
  sidebarDark: null,
  timeZone: 'UTC',
  dayBeginsHour: 0,
  offlineDays: 7,
  ...PLAIN_BRANDING,
};
const DRAFT = getBrandingDraft(BRANDING);

test('BRAND-7: only changes are sent, and a value typed back is no change', () => {
  expect(getBrandingChanges(DRAFT, BRANDING)).toBeNull();
  expect(
    getBrandingChanges({ ...DRAFT, title: 'Portal ', supportEmail: '  ' }, BRANDING),
  ).toBeNull();
  expect(
    getBrandingChanges(
      { ...DRAFT, accent: '', dayBeginsHour: '6', supportEmail: 'help@example.com' },
      BRANDING,
    ),
  ).toEqual({ accent: null, dayBeginsHour: 6, supportEmail: 'help@example.com' });
});

test('BRAND-7: the call accepts what the editor sends of a whole draft', () => {
  const { features } = DRAFT;
  const { supportSection, office365 } = features;
  const full = {
    ...DRAFT,
    name: 'N',
    title: 'T',
    sidebarTitle: 'S',
    supportEmail: 'a@b.example',
    supportPhone: '+1 555 010 0200',
    accent: '#123456',
    accentDark: '#abcdef',
    sidebar: '#001122',
    sidebarDark: '#000000',
    sidebarLogoWidth: '',
    sidebarLogoHeight: '',
    timeZone: 'Europe/London',
    dayBeginsHour: '23',
    offlineDays: '30',
    isStripeEnabled: true,
    features: {
      ...features,
      rules: true,
      reporting: { enabled: true, visibleFor: ['operator' as const] },
      socialMedia: {
        links: [
          { platform: 'Web', link: 'https://example.com' },
          { platform: '', link: '' },
        ],
      },
      chat: { url: 'https://chat.example', script: null, hosts: [' '] },
      supportSection: {
        enabled: true,
        links: { ...supportSection.links, faq: { enabled: true, url: ' https://faq.example ' } },
      },
      office365: {
        ...office365,
        restoreUrl: '',
        selfRegistration: {
          termsOfUse: { title: 'Terms', text: 'x', version: '2' },
          serviceLevels: [
            { id: 'gold', label: 'Gold' },
            { id: '', label: ' ' },
          ],
        },
      },
    },
  };
  const changes = getBrandingChanges(full, BRANDING);
  expect(
    v.safeParse(brandEditCalls.editBranding.input, { id: BRANDING.id, ...changes }).issues,
  ).toBeUndefined();
  expect(findDraftErrors('p', changes ?? {}, full)).toEqual({});
  expect(changes?.features).toMatchObject({
    socialMedia: { links: [{ platform: 'Web' }] },
    supportSection: { links: { faq: { url: 'https://faq.example' } } },
    office365: { restoreUrl: null, selfRegistration: { serviceLevels: [{ id: 'gold' }] } },
  });
  expect(Object.keys(changes ?? {})).toHaveLength(16);
});

test('BRAND-7: every wrong field has its own message', () => {
  const wrong = {
    ...DRAFT,
    title: ' ',
    supportPhone: 'call me',
    accent: 'blue',
    offlineDays: '31',
    dayBeginsHour: '',
    features: {
      ...DRAFT.features,
      supportSection: {
        enabled: true,
        links: { ...DRAFT.features.supportSection.links, faq: { enabled: true, url: null } },
      },
    },
  };
  expect(
    Object.keys(findDraftErrors('p', getBrandingChanges(wrong, BRANDING) ?? {}, wrong)).toSorted(),
  ).toEqual([
    'accent',
    'dayBeginsHour',
    'features.supportSection.links.faq.url',
    'offlineDays',
    'supportPhone',
    'title',
  ]);
});

test('BRAND-7: an image has an accepted type and at most 200 kB, and its size keeps its proportions', () => {
  expect(findFileError('logo', { type: 'image/png', size: 200_000 })).toBeNull();
  expect(findFileError('logo', { type: 'image/png', size: 200_001 })).toContain('201 kB');
  expect(findFileError('logo', { type: 'image/gif', size: 1 })).toContain('PNG, SVG, or WebP');
  expect(findFileError('logo', { type: 'image/x-icon', size: 1 })).not.toBeNull();
  expect(findFileError('favicon', { type: 'image/x-icon', size: 1 })).toBeNull();
  expect(getMeasures({ width: 1_600, height: 400 })).toEqual({
    sidebarLogoWidth: '400',
    sidebarLogoHeight: '100',
  });
  expect(getMeasures({ width: 4, height: 2 })).toEqual({
    sidebarLogoWidth: '16',
    sidebarLogoHeight: '8',
  });
  expect(getMeasures({ width: 0, height: 0 })).toEqual({
    sidebarLogoWidth: '',
    sidebarLogoHeight: '',
  });
});
