import { ROLES } from '#contract/abilities.ts';
import type { Features } from '#contract/branding/branding.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { Check } from '#src/ui/check.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { RowsField } from './rows-field.tsx';

export interface FeaturesFormProps {
  readonly features: Features;
  readonly faults: FormErrors;
  readonly onFeatures: (next: Features) => void;
}

/** What the portal shows: pages, contacts and the foot of the pages. */
export function FeaturesForm({ features, faults, onFeatures }: FeaturesFormProps) {
  const { reporting, supportSection, socialMedia, chat } = features;
  const { links } = supportSection;
  const put = (next: Partial<Features>): void => onFeatures({ ...features, ...next });
  const toChat = (next: Partial<NonNullable<Features['chat']>>): void =>
    put({ chat: { url: null, script: null, hosts: [], ...chat, ...next } });
  const support = (next: Partial<typeof supportSection>): void =>
    put({ supportSection: { ...supportSection, ...next } });
  const link = (next: Partial<typeof links>): void => support({ links: { ...links, ...next } });
  const seen = (role: (typeof reporting.visibleFor)[number], on: boolean): void =>
    put({
      reporting: {
        ...reporting,
        visibleFor: on
          ? [...reporting.visibleFor.filter((one) => one !== role), role]
          : reporting.visibleFor.filter((one) => one !== role),
      },
    });
  const everybody = reporting.visibleFor.includes('all');
  return (
    <>
      <FormSection title="Pages" says="Pages and parts of the portal that users may have.">
        <div className="grid">
          <Switch
            label="Rules"
            detail="When off, existing rules don't act on new results."
            on={features.rules}
            onChange={(rules) => put({ rules })}
          />
          <Switch label="Hints" on={features.hints} onChange={(hints) => put({ hints })} />
          <Switch
            label="Scheduled reports"
            on={reporting.enabled}
            onChange={(enabled) => put({ reporting: { ...reporting, enabled } })}
          />
        </div>
        {reporting.enabled && (
          <fieldset className="m-0 min-w-0 border-0 p-0">
            <legend className="pb-1 font-semibold">Who sees scheduled reports</legend>
            <Check title="Everybody" checked={everybody} onChange={(on) => seen('all', on)} />
            {!everybody &&
              ROLES.map((role) => (
                <Check
                  key={role}
                  title={role}
                  checked={reporting.visibleFor.includes(role)}
                  onChange={(on) => seen(role, on)}
                />
              ))}
            {reporting.visibleFor.length === 0 && (
              <p className="m-0 pt-1 text-agate text-warning">Nobody sees them.</p>
            )}
          </fieldset>
        )}
        <div className="grid">
          <Switch
            label="Invoices are written by themselves"
            on={features.invoice_automation}
            onChange={(on) => put({ invoice_automation: on })}
          />
          <Switch
            label="Billing by card"
            detail="Shows Billing in the menu."
            on={features.billing.ccCollection}
            onChange={(ccCollection) => put({ billing: { ccCollection } })}
          />
        </div>
      </FormSection>
      <FormSection
        title="Support"
        says="The group Support of the sidebar, and whom users can write to."
      >
        <Switch
          label="Support section"
          on={supportSection.enabled}
          onChange={(enabled) => support({ enabled })}
        />
        {supportSection.enabled && (
          <div className="grid">
            <Switch label="Requests" on={links.request} onChange={(request) => link({ request })} />
            <Switch label="Live support" on={links.live} onChange={(live) => link({ live })} />
            <Switch
              label="Downloads"
              on={links.downloads}
              onChange={(downloads) => link({ downloads })}
            />
            <Switch
              label="Questions and answers"
              on={links.faq.enabled}
              onChange={(enabled) => link({ faq: { ...links.faq, enabled } })}
            />
          </div>
        )}
        {supportSection.enabled && links.faq.enabled && (
          <TextField
            label="Address of the questions and answers"
            type="url"
            value={links.faq.url ?? ''}
            fault={faults['features.supportSection.links.faq.url'] ?? null}
            maxLength={2_000}
            placeholder="https://"
            onChange={(event) => link({ faq: { ...links.faq, url: event.target.value } })}
          />
        )}
        <TextField
          label="Address of the chat"
          type="url"
          value={chat?.url ?? ''}
          fault={faults['features.chat.url'] ?? faults['features.chat'] ?? null}
          maxLength={2_000}
          placeholder="https://"
          hint="A page of its own, opened beside the portal. Empty: there is none."
          onChange={(event) => toChat({ url: event.target.value })}
        />
        <Switch
          label="Chat inside the portal"
          detail="A widget in a frame of its own. It reaches nothing of the portal, and is told name and address of who opens it."
          on={chat?.script != null}
          onChange={(on) => toChat({ script: on ? '' : null })}
        />
        {chat?.script != null && (
          <>
            <TextField
              label="Script of the widget"
              type="url"
              value={chat.script}
              fault={faults['features.chat.script'] ?? null}
              maxLength={2_000}
              placeholder="https://"
              spellCheck={false}
              hint="As the provider of the chat gives it."
              onChange={(event) => toChat({ script: event.target.value })}
            />
            <TextField
              label="Other hosts of the widget"
              value={chat.hosts.join(',')}
              fault={
                faults['features.chat.hosts'] ??
                chat.hosts
                  .map((_, at) => faults[`features.chat.hosts.${at}`])
                  .find((one) => one !== undefined) ??
                null
              }
              maxLength={2_000}
              spellCheck={false}
              autoCapitalize="none"
              hint="From which it may load and to which it may speak, such as *.example.com, with commas between them."
              onChange={(event) => toChat({ hosts: event.target.value.split(',') })}
            />
          </>
        )}
      </FormSection>
      <FormSection title="Foot of the pages" says="Links and texts below the pages.">
        <div className="grid">
          <Switch label="Footer" on={features.footer} onChange={(footer) => put({ footer })} />
          <Switch
            label="Privacy policy"
            detail="The portal’s own text, opened from the footer."
            on={features.privacyPolicy}
            onChange={(privacyPolicy) => put({ privacyPolicy })}
          />
        </div>
        <RowsField
          label="Social links"
          heads={['Name', 'Address']}
          add="Add a link"
          rows={socialMedia.links.map((one) => [one.platform, one.link] as const)}
          faultAt={(at) =>
            faults[`features.socialMedia.links.${at}.link`] ??
            faults[`features.socialMedia.links.${at}.platform`] ??
            null
          }
          onRows={(rows) =>
            put({
              socialMedia: {
                links: rows.map(([platform, address]) => ({ platform, link: address })),
              },
            })
          }
        />
      </FormSection>
    </>
  );
}
