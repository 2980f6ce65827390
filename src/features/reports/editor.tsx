import { useEffect, useRef, useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ReportOut, TemplateOut } from '#contract/reports/calls.ts';
import { REPORT_FORMATS, REPORT_LANGUAGES, REPORT_PERIODS } from '#contract/reports/setting.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import type { FormRefusal } from '#src/ui/use-draft-form.ts';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { EditorButtons } from '../shared/forms/editor-buttons.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { Companies } from './companies.tsx';
import { REPORT_ERRORS, getSetting, reportSchema } from './form.ts';
import type { ReportForm } from './form.ts';
import { ScheduleFields } from './schedule-fields.tsx';
import { ReportSheet } from './sheet.tsx';
import { FORMAT_WORDS, LANGUAGE_WORDS, PERIOD_WORDS, scheduleWords } from './labels.ts';
import { reportMessages as t } from './messages.en.ts';

export interface EditorProps {
  /** Null: a new report. */
  readonly id: string | null;
  readonly begin: ReportForm;
  readonly templates: readonly TemplateOut[];
  readonly companies: readonly (readonly [n: number, name: string])[];
  readonly offline: boolean;
  readonly onSaved: () => void;
  readonly onClose: () => void;
  readonly onDelete: (() => void) | null;
}

/**
 * Editor of a report: content, schedule and recipients, with a preview of the current data below.
 */
export function Editor({
  id,
  begin,
  templates,
  companies,
  offline,
  onSaved,
  onClose,
  onDelete,
}: EditorProps) {
  const {
    form,
    change,
    errors,
    error: above,
    busy,
    dirty,
    formRef,
    headingRef,
    save,
    refuse,
  } = useDraftForm({
    initial: begin,
    offline,
    schema: reportSchema,
    submit: async (setting): Promise<Result<unknown>> =>
      id === null
        ? client().ask('createReportSetting', { setting })
        : client().ask('changeReportSetting', { id, setting }),
    explain,
    onSaved: () => {
      showSuccess(id === null ? t.reportCreated : t.reportSaved);
      onSaved();
    },
  });
  const previewing = useServerMutation();
  const [preview, setPreview] = useState<ReportOut | null>(null);
  const shown = useRef<HTMLElement>(null);
  const { customers, description } = TEMPLATES[form.template];
  const { setting, errors: typed } = getSetting(form, customers);
  const error = (path: string): string | null =>
    errors[`setting.${path}`] ??
    Object.entries(errors).find(([one]) => one.startsWith(`setting.${path}.`))?.[1] ??
    null;

  useEffect(() => {
    if (preview !== null) shown.current?.focus();
  }, [preview]);

  async function look(): Promise<void> {
    const missing = typed['setting.companies'];
    refuse(
      missing === undefined ? null : { errors: { 'setting.companies': missing }, above: null },
    );
    if (missing !== undefined) return;
    const { template, period, language } = form;
    const answer = await previewing.send(() =>
      client().ask('previewReport', {
        setting: {
          name: form.name.trim() === '' ? TEMPLATES[template].prettyName : form.name,
          template,
          companies: [...form.companies],
          period,
          language,
        },
      }),
    );
    if (answer.ok) setPreview(answer.value);
    else refuse(explain(answer.failure));
  }

  return (
    <form
      ref={formRef}
      noValidate
      className="grid grid-cols-[minmax(0,1fr)] px-4 py-4 tablet:px-5"
      onSubmit={(event) => void save(event)}
    >
      <UnsavedQuestion dirty={dirty} />
      <h2 ref={headingRef} tabIndex={-1} className="m-0 pb-3 text-head outline-none">
        {id === null ? t.newReport : t.editReport}
      </h2>
      <FormSection title={t.report} description={description}>
        <RequiredNote />
        <TextField
          label={t.name}
          required
          value={form.name}
          maxLength={200}
          error={error('name')}
          hint={t.nameHint}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Select
          label={t.template}
          block
          value={form.template}
          options={templates.map(({ key, prettyName }) => ({ value: key, label: prettyName }))}
          onChange={(template) =>
            change({
              template,
              ...(TEMPLATES[template].customers !== customers && { companies: [] }),
            })
          }
        />
        <Companies
          customers={customers}
          chosen={form.companies}
          all={companies}
          error={error('companies')}
          onChange={(next) => change({ companies: next })}
        />
        <Select
          label={t.period}
          block
          value={form.period}
          options={REPORT_PERIODS.map((value) => ({ value, label: PERIOD_WORDS[value] }))}
          onChange={(period) => change({ period })}
        />
        <div className="grid grid-cols-2 gap-3">
          <Select
            label={t.format}
            block
            value={form.format}
            options={REPORT_FORMATS.map((value) => ({ value, label: FORMAT_WORDS[value] }))}
            onChange={(format) => change({ format })}
          />
          <Select
            label={t.datesAndNumbers}
            block
            value={form.language}
            options={REPORT_LANGUAGES.map((value) => ({ value, label: LANGUAGE_WORDS[value] }))}
            onChange={(language) => change({ language })}
          />
        </div>
      </FormSection>
      <FormSection
        title={t.schedule}
        description={setting === null ? t.scheduleHint : scheduleWords(setting.schedule)}
      >
        <Switch
          label={t.sendAutomatically}
          detail={t.sendAutomaticallyHint}
          on={form.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <ScheduleFields form={form} error={error('schedule')} onChange={change} />
      </FormSection>
      <FormSection title={t.recipients} description={t.recipientsHint}>
        <TextArea
          label={t.emailAddresses}
          required={form.enabled}
          value={form.recipients}
          rows={3}
          error={error('recipients')}
          hint={t.emailAddressesHint}
          onChange={({ target }) => change({ recipients: target.value })}
        />
      </FormSection>
      {above !== null && (
        <div className="pb-3">
          <Callout tone="failed" alert>
            {above}
          </Callout>
        </div>
      )}
      <EditorButtons
        saveLabel={id === null ? t.createReport : uiMessages.save}
        busy={busy}
        offline={offline}
        onClose={onClose}
        onDelete={onDelete}
      >
        <Button
          icon="eye"
          busy={previewing.busy}
          disabled={offline}
          {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
          onClick={() => void look()}
        >
          {t.preview}
        </Button>
      </EditorButtons>
      {preview !== null && (
        <section
          ref={shown}
          tabIndex={-1}
          className="min-w-0 border-t-2 border-head-rule pt-4 outline-none"
          aria-label={t.preview}
        >
          <h3 className="m-0 pb-3 text-body font-semibold">
            {t.previewOf({ name: preview.report.name })}
          </h3>
          <ReportSheet report={preview.report} rows={preview.rows} />
        </section>
      )}
    </form>
  );
}

/** Messages of the form's fields. A field without an entry shows the server's own message. */
const WORDS = {
  'setting.name': REPORT_ERRORS['setting.name'],
  'setting.recipients': REPORT_ERRORS['setting.recipients'],
  'setting.companies': MESSAGES.reportNotYours,
  'setting.schedule.timeZone': MESSAGES.reportZone,
};
const explain = (failure: Failure): FormRefusal => readServerErrors(failure, WORDS);
