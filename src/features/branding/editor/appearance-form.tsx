import { Link } from '@tanstack/react-router';
import type { Branding } from '#contract/branding/branding.ts';
import { LIMITS } from '#contract/limits.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { Combobox } from '#src/ui/combobox.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { ColourField } from './colour-field.tsx';
import { COLOUR_NAMES, verdictOf } from './colours.ts';
import { measuresOf } from './draft.ts';
import type { Draft, PictureName, Pictures, TextName } from './draft.ts';
import { PictureField } from './picture-field.tsx';

export interface LookFormProps {
  readonly draft: Draft;
  readonly branding: Branding;
  readonly pictures: Pictures;
  readonly own: boolean;
  readonly faults: FormErrors;
  readonly onText: (name: TextName, value: string) => void;
  readonly onDraft: (next: Partial<Draft>) => void;
  readonly onPictures: (next: Pictures) => void;
}

const COLOURS = {
  accent: 'Accent, light',
  accentDark: 'Accent, dark',
  sidebar: 'Sidebar, light',
  sidebarDark: 'Sidebar, dark',
} as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  word: `${String(hour).padStart(2, '0')}:00`,
}));

/** Names, pictures, colours, contacts, time and signing in. */
export function LookForm({
  draft,
  branding,
  pictures,
  own,
  faults,
  onText,
  onDraft,
  onPictures,
}: LookFormProps) {
  const field = (name: TextName) => ({
    value: draft[name],
    fault: faults[name] ?? null,
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
          chosen === 'none' ? { sidebarLogoWidth: '', sidebarLogoHeight: '' } : measuresOf(chosen),
        );
    },
  });
  return (
    <>
      <FormSection title="Names">
        <RequiredNote />
        <TextField
          {...field('name')}
          label="Name of the provider"
          required
          maxLength={LIMITS.nameChars}
        />
        <TextField
          {...field('title')}
          label="Page title"
          required
          maxLength={LIMITS.nameChars}
          hint="In the tab of the browser, and in mails."
        />
        <TextField
          {...field('sidebarTitle')}
          label="Sidebar title"
          required
          maxLength={LIMITS.nameChars}
          hint="Above the menu and on the sign-in page."
        />
      </FormSection>
      <FormSection
        title="Pictures"
        says="PNG, SVG or WebP, 200 kB at most. What could run in an SVG is taken out."
      >
        <PictureField
          {...picture('logo', branding.sidebarLogoUrl)}
          label="Logo"
          dark
          hint="24 px high in the sidebar, 32 px on the sign-in page, 160 px wide at most."
        />
        <PictureField
          {...picture('logo-dark', branding.sidebarLogoDarkUrl ?? null)}
          label="Logo for the dark theme"
          dark
          hint="Where the other one cannot be seen well. Without it, the other one stands."
        />
        <div className="grid grid-cols-2 items-start gap-4">
          <TextField
            {...field('sidebarLogoWidth')}
            label="Logo width"
            inputMode="numeric"
            maxLength={3}
            hint="Their proportion counts."
          />
          <TextField
            {...field('sidebarLogoHeight')}
            label="Logo height"
            inputMode="numeric"
            maxLength={3}
            hint="8 to 400. Empty: as the file."
          />
        </div>
        <PictureField
          {...picture('favicon', branding.favIconUrl)}
          label="Icon of the tab"
          dark={false}
          hint="Square, 32 px at least. An ICO file is taken as well."
        />
      </FormSection>
      <FormSection
        title="Colours"
        says="A colour stands only where it can be read, in 4.5:1 or more (WCAG AA). Where it cannot, the portal’s own stands."
      >
        {COLOUR_NAMES.map((name) => (
          <ColourField
            key={name}
            label={COLOURS[name]}
            value={draft[name]}
            verdict={verdictOf(name, draft)}
            fault={faults[name] ?? null}
            onChange={(value) => onText(name, value)}
          />
        ))}
      </FormSection>
      <FormSection title="Contacts" says="On the sign-in page.">
        <TextField {...field('supportEmail')} label="Support e-mail" type="email" maxLength={254} />
        <TextField {...field('supportPhone')} label="Support phone" type="tel" maxLength={40} />
      </FormSection>
      <FormSection title="Time" says="Days of lists, calendar and reports.">
        <Combobox
          label="Time zone"
          required
          value={draft.timeZone}
          options={zones()}
          fault={faults['timeZone'] ?? null}
          onChange={(zone) => onText('timeZone', zone)}
        />
        <Select
          label="The day begins at"
          block
          value={draft.dayBeginsHour}
          options={HOURS}
          fault={faults['dayBeginsHour'] ?? null}
          onChange={(hour) => onText('dayBeginsHour', hour)}
        />
        <TextField
          {...field('offlineDays')}
          label="Days without the network"
          required
          inputMode="numeric"
          maxLength={2}
          hint="So long a signed-in device may be opened offline. From 1 to 30."
        />
      </FormSection>
      <FormSection title="Signing in and paying">
        <p className="m-0 text-ink-2">
          Users sign in with{' '}
          {branding.authType === 'ad'
            ? 'their password of the directory'
            : 'a password that the portal keeps'}
          . It follows from the{' '}
          <Link
            to="/admin/settings"
            search={own ? {} : { provider: branding.id }}
            hash="directory"
            className="text-accent underline underline-offset-2"
          >
            directory in the settings
          </Link>
          .
        </p>
        <Switch
          label="Payments by Stripe"
          on={draft.isStripeEnabled}
          onChange={(isStripeEnabled) => onDraft({ isStripeEnabled })}
        />
      </FormSection>
      <FormSection title="API">
        <p className="m-0 break-words text-ink-2">
          Programs call the API at {branding.domain}, path <code>{branding.apiUrl}</code>. The
          portal itself always calls its own address.
        </p>
      </FormSection>
    </>
  );
}

let known: readonly { readonly value: string; readonly word: string }[] | null = null;
/** All zones that this browser knows, and UTC. */
function zones(): NonNullable<typeof known> {
  known ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => ({ value: zone, word: zone.replaceAll('_', ' ') }),
  );
  return known;
}
