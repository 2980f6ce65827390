import { Link } from '@tanstack/react-router';
import type { Branding } from '#contract/branding/branding.ts';
import { LIMITS } from '#contract/limits.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { Combobox } from '#src/ui/combobox.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { richText } from '#src/ui/rich-text.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { ColourField } from './colour-field.tsx';
import { COLOUR_NAMES, getVerdict } from './colours.ts';
import { getMeasures } from './draft.ts';
import type { BrandingDraft, PictureName, Pictures, TextName } from './draft.ts';
import { PictureField } from './picture-field.tsx';
import { brandingMessages as t } from './messages.en.ts';
import { languageChoices } from '../../shared/language-choices.ts';

export interface LookFormProps {
  readonly draft: BrandingDraft;
  readonly branding: Branding;
  readonly pictures: Pictures;
  readonly own: boolean;
  readonly errors: FormErrors;
  readonly onText: (name: TextName, value: string) => void;
  readonly onDraft: (next: Partial<BrandingDraft>) => void;
  readonly onPictures: (next: Pictures) => void;
}

const COLOURS = {
  accent: t.accentLight,
  accentDark: t.accentDark,
  sidebar: t.sidebarLight,
  sidebarDark: t.sidebarDark,
} as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));

/** Form section: names, images, colors, contacts, time zone and sign-in. */
export function LookForm({
  draft,
  branding,
  pictures,
  own,
  errors,
  onText,
  onDraft,
  onPictures,
}: LookFormProps) {
  const field = (name: TextName) => ({
    value: draft[name],
    error: errors[name] ?? null,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onText(name, event.target.value),
  });
  const picture = (name: PictureName, present: string | null) => ({
    name,
    present,
    elsewhere: !own && present !== null && present.startsWith('/'),
    chosen: pictures[name],
    onChoose: (chosen: Pictures[PictureName]) => {
      onPictures({ ...pictures, [name]: chosen });
      if (name === 'logo' && chosen !== undefined)
        onDraft(
          chosen === 'none' ? { sidebarLogoWidth: '', sidebarLogoHeight: '' } : getMeasures(chosen),
        );
    },
  });
  return (
    <>
      <FormSection title={t.names}>
        <RequiredNote />
        <TextField
          {...field('name')}
          label={t.providerName}
          required
          maxLength={LIMITS.nameChars}
        />
        <TextField
          {...field('title')}
          label={t.pageTitle}
          required
          maxLength={LIMITS.nameChars}
          hint={t.pageTitleHint}
        />
        <TextField
          {...field('sidebarTitle')}
          label={t.sidebarTitle}
          required
          maxLength={LIMITS.nameChars}
          hint={t.sidebarTitleHint}
        />
      </FormSection>
      <FormSection title={t.images} description={t.imagesHint}>
        <PictureField
          {...picture('logo', branding.sidebarLogoUrl)}
          label={t.logo}
          dark
          hint={t.logoHint}
        />
        <PictureField
          {...picture('logo-dark', branding.sidebarLogoDarkUrl ?? null)}
          label={t.darkLogo}
          dark
          hint={t.darkLogoHint}
        />
        <div className="grid grid-cols-2 items-start gap-4">
          <TextField
            {...field('sidebarLogoWidth')}
            label={t.logoWidth}
            inputMode="numeric"
            maxLength={3}
            hint={t.logoWidthHint}
          />
          <TextField
            {...field('sidebarLogoHeight')}
            label={t.logoHeight}
            inputMode="numeric"
            maxLength={3}
            hint={t.logoHeightHint}
          />
        </div>
        <PictureField
          {...picture('favicon', branding.favIconUrl)}
          label={t.favicon}
          dark={false}
          hint={t.faviconHint}
        />
      </FormSection>
      <FormSection title={t.colors} description={t.colorsHint}>
        {COLOUR_NAMES.map((name) => (
          <ColourField
            key={name}
            label={COLOURS[name]}
            value={draft[name]}
            verdict={getVerdict(name, draft)}
            error={errors[name] ?? null}
            onChange={(value) => onText(name, value)}
          />
        ))}
      </FormSection>
      <FormSection title={t.contacts} description={t.contactsHint}>
        <TextField {...field('supportEmail')} label={t.supportEmail} type="email" maxLength={254} />
        <TextField {...field('supportPhone')} label={t.supportPhone} type="tel" maxLength={40} />
      </FormSection>
      <FormSection title={t.languageAndTime} description={t.timeHint}>
        <Select
          label={t.language}
          block
          value={draft.language}
          options={languageChoices(draft.language)}
          onChange={(language) => onDraft({ language })}
        />
        <Combobox
          label={t.timeZone}
          required
          value={draft.timeZone}
          options={zones()}
          error={errors['timeZone'] ?? null}
          onChange={(zone) => onText('timeZone', zone)}
        />
        <Select
          label={t.dayBeginsAt}
          block
          value={draft.dayBeginsHour}
          options={HOURS}
          error={errors['dayBeginsHour'] ?? null}
          onChange={(hour) => onText('dayBeginsHour', hour)}
        />
        <TextField
          {...field('offlineDays')}
          label={t.offlineDays}
          required
          inputMode="numeric"
          maxLength={2}
          hint={t.offlineDaysHint}
        />
      </FormSection>
      <FormSection title={t.signInAndPayments}>
        <p className="m-0 text-ink-2">
          {branding.authType === 'ad' ? t.directoryPasswords : t.portalPasswords}{' '}
          <Link
            to="/admin/settings"
            search={own ? {} : { provider: branding.id }}
            hash="directory"
            className="text-accent underline underline-offset-2"
          >
            {t.directorySettings}
          </Link>
        </p>
        <Switch
          label={t.stripePayments}
          on={draft.isStripeEnabled}
          onChange={(isStripeEnabled) => onDraft({ isStripeEnabled })}
        />
      </FormSection>
      <FormSection title={t.api}>
        <p className="m-0 break-words text-ink-2">
          {richText(t.apiHint, { host: branding.domain, path: <code>{branding.apiUrl}</code> })}
        </p>
      </FormSection>
    </>
  );
}

let known: readonly { readonly value: string; readonly label: string }[] | null = null;
/** All time zones of this browser, and UTC. */
function zones(): NonNullable<typeof known> {
  known ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }),
  );
  return known;
}
