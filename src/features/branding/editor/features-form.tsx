import { ROLES } from '#contract/abilities.ts';
import { ROLE_NAMES } from '#src/features/shared/role-names.ts';
import type { Features } from '#contract/branding/branding.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { Check } from '#src/ui/check.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { RowsField } from './rows-field.tsx';
import { brandingMessages as t } from './messages.en.ts';

/** Prefix of addresses. */
const URL_START = 'https://';

export interface FeaturesFormProps {
  readonly features: Features;
  readonly errors: FormErrors;
  readonly onFeatures: (next: Features) => void;
}

/** Form section: pages, contacts and the footer. */
export function FeaturesForm({ features, errors, onFeatures }: FeaturesFormProps) {
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
      <FormSection title={t.pages} description={t.pagesHint}>
        <div className="grid">
          <Switch
            label={t.rules}
            detail={t.rulesHint}
            on={features.rules}
            onChange={(rules) => put({ rules })}
          />
          <Switch label={t.hints} on={features.hints} onChange={(hints) => put({ hints })} />
          <Switch
            label={t.scheduledReports}
            on={reporting.enabled}
            onChange={(enabled) => put({ reporting: { ...reporting, enabled } })}
          />
        </div>
        {reporting.enabled && (
          <fieldset className="m-0 min-w-0 border-0 p-0">
            <legend className="pb-1 font-semibold">{t.reportRoles}</legend>
            <Check title={t.everyone} checked={everybody} onChange={(on) => seen('all', on)} />
            {!everybody &&
              ROLES.map((role) => (
                <Check
                  key={role}
                  title={ROLE_NAMES[role]}
                  checked={reporting.visibleFor.includes(role)}
                  onChange={(on) => seen(role, on)}
                />
              ))}
            {reporting.visibleFor.length === 0 && (
              <p className="m-0 pt-1 text-agate text-warning">{t.noReportRoles}</p>
            )}
          </fieldset>
        )}
        <div className="grid">
          <Switch
            label={t.automaticInvoices}
            on={features.invoice_automation}
            onChange={(on) => put({ invoice_automation: on })}
          />
          <Switch
            label={t.cardBilling}
            detail={t.cardBillingHint}
            on={features.billing.ccCollection}
            onChange={(ccCollection) => put({ billing: { ccCollection } })}
          />
        </div>
      </FormSection>
      <FormSection title={t.support} description={t.supportHint}>
        <Switch
          label={t.supportSection}
          on={supportSection.enabled}
          onChange={(enabled) => support({ enabled })}
        />
        {supportSection.enabled && (
          <div className="grid">
            <Switch
              label={t.requests}
              on={links.request}
              onChange={(request) => link({ request })}
            />
            <Switch label={t.liveSupport} on={links.live} onChange={(live) => link({ live })} />
            <Switch
              label={t.downloads}
              on={links.downloads}
              onChange={(downloads) => link({ downloads })}
            />
            <Switch
              label={t.faq}
              on={links.faq.enabled}
              onChange={(enabled) => link({ faq: { ...links.faq, enabled } })}
            />
          </div>
        )}
        {supportSection.enabled && links.faq.enabled && (
          <TextField
            label={t.faqUrl}
            type="url"
            value={links.faq.url ?? ''}
            error={errors['features.supportSection.links.faq.url'] ?? null}
            maxLength={2_000}
            placeholder={URL_START}
            onChange={(event) => link({ faq: { ...links.faq, url: event.target.value } })}
          />
        )}
        <TextField
          label={t.chatUrl}
          type="url"
          value={chat?.url ?? ''}
          error={errors['features.chat.url'] ?? errors['features.chat'] ?? null}
          maxLength={2_000}
          placeholder={URL_START}
          hint={t.chatUrlHint}
          onChange={(event) => toChat({ url: event.target.value })}
        />
        <Switch
          label={t.embeddedChat}
          detail={t.embeddedChatHint}
          on={chat?.script != null}
          onChange={(on) => toChat({ script: on ? '' : null })}
        />
        {chat?.script != null && (
          <>
            <TextField
              label={t.chatScript}
              type="url"
              value={chat.script}
              error={errors['features.chat.script'] ?? null}
              maxLength={2_000}
              placeholder={URL_START}
              spellCheck={false}
              hint={t.chatScriptHint}
              onChange={(event) => toChat({ script: event.target.value })}
            />
            <TextField
              label={t.chatHosts}
              value={chat.hosts.join(',')}
              error={
                errors['features.chat.hosts'] ??
                chat.hosts
                  .map((_, at) => errors[`features.chat.hosts.${at}`])
                  .find((one) => one !== undefined) ??
                null
              }
              maxLength={2_000}
              spellCheck={false}
              autoCapitalize="none"
              hint={t.chatHostsHint}
              onChange={(event) => toChat({ hosts: event.target.value.split(',') })}
            />
          </>
        )}
      </FormSection>
      <FormSection title={t.footerSection} description={t.footerSectionHint}>
        <div className="grid">
          <Switch label={t.footer} on={features.footer} onChange={(footer) => put({ footer })} />
          <Switch
            label={t.privacyPolicy}
            detail={t.privacyPolicyHint}
            on={features.privacyPolicy}
            onChange={(privacyPolicy) => put({ privacyPolicy })}
          />
        </div>
        <RowsField
          label={t.socialLinks}
          heads={[t.linkName, t.linkUrl]}
          add={t.addLink}
          rows={socialMedia.links.map((one) => [one.platform, one.link] as const)}
          getErrorAt={(at) =>
            errors[`features.socialMedia.links.${at}.link`] ??
            errors[`features.socialMedia.links.${at}.platform`] ??
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
