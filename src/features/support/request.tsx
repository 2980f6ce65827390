import { useState } from 'react';
import { supportCalls } from '#contract/support/calls.ts';
import type { SupportPart } from '#contract/support/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { lastPage } from '#src/app/router/last-page.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Check } from '#src/ui/check.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { richText } from '#src/ui/rich-text.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { lastFailures, showInfo } from '#src/ui/toasts.ts';
import { getContext, contextParts } from './context.ts';
import { SentRequests } from './sent-requests.tsx';
import { supportMessages as t } from './messages.en.ts';

/**
 * `/monitoring/support/request`: sends a request to the portal's support and lists earlier ones
 * (SUPPORT-2, SUPPORT-4).
 */
export function SupportRequest() {
  const branding = useBranding();
  const me = useMe();
  const status = useWatch('status', EMPTY);
  const offline = status?.kind === 'offline';
  const [page, setPage] = useState(1);
  const [size, setSize] = useState<number>(PAGE_SIZE);
  const sent = useCachedQuery(
    'listSupport',
    { page: String(page), pageSize: String(size) },
    { everyMs: 10_000 },
  );
  const parts = contextParts({
    path: lastPage(),
    failures: lastFailures(),
    status,
    agent: navigator.userAgent,
  });
  const to = branding?.supportEmail ?? null;
  const phone = branding?.supportPhone ?? null;
  const { form, change, errors, error, busy, formRef, save, reset } = useDraftForm({
    initial: EMPTY_REQUEST,
    offline,
    schema,
    submit: (input, { without }) =>
      client().ask('sendSupport', { ...input, context: getContext(parts, new Set(without)) }),
    onSaved: (_, __, { without }) => {
      reset({ ...EMPTY_REQUEST, without });
      setPage(1);
      sent.again();
      showInfo(t.sending);
    },
  });
  const { subject, message, without } = form;

  return (
    <Page title={t.requestTitle}>
      <div className="min-h-full bg-sheet px-4 py-5 tablet:px-5">
        <UnsavedQuestion dirty={subject.trim() !== '' || message.trim() !== ''} />
        {me?.impersonator != null ? (
          <Notice icon="lock" level={2} title={t.impersonatingTitle}>
            <p className="m-0">{MESSAGES.notWhileImpersonating}</p>
          </Notice>
        ) : to === null ? (
          <Notice icon="request" level={2} title={t.noAddress}>
            <p className="m-0">
              {MESSAGES.supportNoAddress}
              {phone !== null && ` ${t.callInstead({ phone })}`}
            </p>
          </Notice>
        ) : (
          <form
            ref={formRef}
            className="max-w-[760px]"
            noValidate
            onSubmit={(event) => void save(event)}
          >
            <FormSection
              title={t.aboutSection}
              description={richText(t.aboutHint, {
                address: <span className="break-words">{to}</span>,
              })}
            >
              {offline && (
                <Callout tone="warning">
                  {t.offlineDraft({ reason: MESSAGES.needsNetwork })}
                </Callout>
              )}
              <TextField
                label={t.subject}
                required
                value={subject}
                maxLength={LIMITS.subjectChars}
                error={errors['subject'] ?? null}
                onChange={({ target }) => change({ subject: target.value })}
              />
              <TextArea
                label={t.message}
                required
                rows={7}
                value={message}
                maxLength={LIMITS.descriptionChars}
                error={errors['message'] ?? null}
                onChange={({ target }) => change({ message: target.value })}
              />
            </FormSection>
            <FormSection title={t.contextSection} description={t.contextHint}>
              <fieldset className="m-0 grid grid-cols-[minmax(0,1fr)] border-0 p-0">
                <legend className="sr-only">{t.contextSection}</legend>
                {parts.map(({ part, label, text }) => (
                  <Check
                    key={part}
                    checked={!without.includes(part)}
                    title={label}
                    detail={text}
                    onChange={(on) =>
                      change({
                        without: on ? without.filter((one) => one !== part) : [...without, part],
                      })
                    }
                  />
                ))}
              </fieldset>
              {error !== null && (
                <Callout tone="failed" alert>
                  {error}
                </Callout>
              )}
              <div>
                <Button
                  type="submit"
                  variant="primary"
                  busy={busy}
                  disabled={offline}
                  {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
                >
                  {t.sendRequest}
                </Button>
              </div>
            </FormSection>
          </form>
        )}
        <SentRequests
          query={sent}
          offline={offline}
          onPage={setPage}
          onSize={(next) => {
            setSize(next);
            setPage(1);
          }}
        />
      </div>
    </Page>
  );
}

const EMPTY = {};
interface RequestForm {
  readonly subject: string;
  readonly message: string;
  /** The details that the user leaves out. */
  readonly without: readonly SupportPart[];
}
const EMPTY_REQUEST: RequestForm = { subject: '', message: '', without: [] };
const schema = makeFormSchema(
  supportCalls.sendSupport.input,
  ({ subject, message }: RequestForm) => ({
    value: { subject, message },
    errors: {
      ...(subject.trim() === '' && { subject: t.subjectMissing }),
      ...(message.trim() === '' && { message: t.messageMissing }),
    },
  }),
);
