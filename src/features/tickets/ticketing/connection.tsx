import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { ticketingCalls } from '#contract/tickets/ticketing-calls.ts';
import type { TicketingState } from '#contract/tickets/ticketing-calls.ts';
import type { Ticketing } from '#contract/tickets/ticketing.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { TicketSystem } from '#contract/tickets/tickets.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { ticketingMessages as t } from './messages.en.ts';

export interface ConnectionProps {
  readonly ticketing: TicketingState;
  readonly offline: boolean;
  readonly zone: string;
  readonly onSaved: (stored: TicketingState) => void;
}

const NO_CW = { url: 'https://api-na.myconnectwise.net', company: '', publicKey: '', clientId: '' };
const NO_AT = { url: 'https://webservices.autotask.net', username: '', integrationCode: '' };

/** Ticketing system: keys, defaults of new tickets, and automatic actions. */
export function Connection({ ticketing, offline, zone, onSaved }: ConnectionProps) {
  const [tested, setTested] = useState<{
    readonly ok: boolean;
    readonly description: string;
  } | null>(null);
  const {
    form: { settings: draft, days, secret },
    change,
    error,
    busy,
    dirty,
    save,
    refuse,
    reset,
  } = useDraftForm({
    initial: getForm(ticketing.settings),
    offline,
    schema,
    async submit(input): Promise<Result<Stored>> {
      setTested(null);
      const stored = await withReauth(() => client().ask('setTicketing', input));
      if (!stored.ok || input.settings.system === 'own')
        return stored.ok ? ok({ after: stored.value, test: null }) : stored;
      const test = await client().ask('testTicketing', {});
      return ok({ after: test.ok ? test.value.state : stored.value, test });
    },
    onSaved: ({ after, test }, { settings: sent }, now) => {
      if (test === null) showSuccess(t.saved);
      else if (test.ok) setTested({ ok: test.value.ok, description: test.value.message });
      // Choices made during the request are kept.
      const changed = changedSince(sent, readSettings(now));
      reset({ ...now, settings: { ...after.settings, ...changed }, secret: '' });
      if (test?.ok === false) refuse({ errors: {}, above: test.failure.message });
      onSaved(after);
    },
  });
  const { system } = draft;
  const { choices } = ticketing;
  const cw = draft.connectwise ?? NO_CW;
  const at = draft.autotask ?? NO_AT;
  const set = (next: Partial<Ticketing>): void => change({ settings: { ...draft, ...next } });
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  const other =
    system !== ticketing.settings.system ||
    JSON.stringify(draft[system === 'own' ? 'board' : system]) !==
      JSON.stringify(ticketing.settings[system === 'own' ? 'board' : system]);

  return (
    <form onSubmit={(event) => void save(event)}>
      <UnsavedQuestion dirty={dirty} />
      <FormSection title={t.systemSection} description={t.systemSectionHint}>
        <RequiredNote />
        <Select
          block
          label={t.system}
          value={system}
          options={SYSTEMS}
          onChange={(next) =>
            set({
              system: next,
              ...(next !== ticketing.settings.system && {
                board: null,
                openStatus: null,
                closeStatus: null,
                priority: null,
              }),
            })
          }
        />
        {system === 'connectwise' && (
          <>
            <TextField
              label={t.address}
              required
              value={cw.url}
              hint={t.addressHint}
              onChange={({ target }) => set({ connectwise: { ...cw, url: target.value.trim() } })}
            />
            <TextField
              label={t.company}
              required
              value={cw.company}
              hint={t.companyHint}
              autoComplete="off"
              onChange={({ target }) => set({ connectwise: { ...cw, company: target.value } })}
            />
            <TextField
              label={t.publicKey}
              required
              value={cw.publicKey}
              autoComplete="off"
              onChange={({ target }) => set({ connectwise: { ...cw, publicKey: target.value } })}
            />
            <TextField
              label={t.privateKey}
              required={!ticketing.secret || other}
              type="password"
              value={secret}
              autoComplete="new-password"
              hint={secretWords(ticketing.secret && !other)}
              onChange={({ target }) => change({ secret: target.value })}
            />
            <TextField
              label={t.clientId}
              required
              value={cw.clientId}
              autoComplete="off"
              hint={t.clientIdHint}
              onChange={({ target }) => set({ connectwise: { ...cw, clientId: target.value } })}
            />
          </>
        )}
        {system === 'autotask' && (
          <>
            <TextField
              label={t.address}
              required
              value={at.url}
              hint={t.zoneHint}
              onChange={({ target }) => set({ autotask: { ...at, url: target.value.trim() } })}
            />
            <TextField
              label={t.apiUser}
              required
              value={at.username}
              autoComplete="off"
              onChange={({ target }) => set({ autotask: { ...at, username: target.value } })}
            />
            <TextField
              label={t.secret}
              required={!ticketing.secret || other}
              type="password"
              value={secret}
              autoComplete="new-password"
              hint={secretWords(ticketing.secret && !other)}
              onChange={({ target }) => change({ secret: target.value })}
            />
            <TextField
              label={t.integrationCode}
              required
              value={at.integrationCode}
              autoComplete="off"
              onChange={({ target }) => set({ autotask: { ...at, integrationCode: target.value } })}
            />
          </>
        )}
      </FormSection>
      {system !== 'own' && (
        <FormSection
          title={t.newTickets}
          description={
            choices.boards.length === 0 || other
              ? t.newTicketsTestFirst
              : t.newTicketsHint({ system: SYSTEM_NAMES[system] })
          }
        >
          {choices.boards.length > 0 && !other && (
            <>
              {pick(
                system === 'autotask' ? t.queue : t.board,
                draft.board,
                choices.boards,
                (board) => {
                  // Statuses belong to a board, so a change of board resets them.
                  set({
                    board,
                    ...(system === 'connectwise' && { openStatus: null, closeStatus: null }),
                  });
                  void save();
                },
              )}
              {draft.board === ticketing.settings.board &&
                draft.board !== null &&
                pick(
                  t.openStatus,
                  draft.openStatus,
                  choices.statuses.filter(({ closed, id }) => !closed && id !== draft.closeStatus),
                  (openStatus) => set({ openStatus }),
                )}
              {draft.board === ticketing.settings.board &&
                draft.board !== null &&
                pick(
                  t.closedStatus,
                  draft.closeStatus,
                  system === 'autotask'
                    ? choices.statuses
                    : choices.statuses.filter(({ closed }) => closed),
                  (closeStatus) => set({ closeStatus }),
                )}
              {draft.board !== null &&
                pick(t.priority, draft.priority, choices.priorities, (priority) =>
                  set({ priority }),
                )}
            </>
          )}
        </FormSection>
      )}
      <FormSection title={t.automation} description={t.automationHint}>
        <Switch
          label={t.closeOnSuccess}
          detail={t.closeOnSuccessHint}
          on={draft.resolveOnSuccess}
          onChange={(resolveOnSuccess) => set({ resolveOnSuccess })}
        />
        <Switch
          label={t.reopen}
          detail={t.reopenHint}
          on={draft.reopenDays > 0}
          onChange={(on) => set({ reopenDays: on ? 7 : 0 })}
        />
        {draft.reopenDays > 0 && (
          <TextField
            label={t.days}
            inputMode="numeric"
            value={days}
            maxLength={3}
            error={getDays(days) === null ? t.daysInvalid : null}
            onChange={({ target }) => change({ days: target.value.replaceAll(/\D/g, '') })}
          />
        )}
      </FormSection>
      <div className="grid gap-3 border-t border-hair py-4">
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        {tested !== null && (
          <Callout tone={tested.ok ? 'success' : 'failed'} alert>
            {tested.description}
          </Callout>
        )}
        {tested === null && ticketing.error !== null && system === ticketing.settings.system && (
          <Callout tone="warning">
            {ticketing.error} {t.retrying}
          </Callout>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <CallButton
            call="setTicketing"
            type="submit"
            variant="primary"
            busy={busy}
            disabled={offline || (draft.reopenDays > 0 && getDays(days) === null)}
            {...why}
          >
            {system === 'own' ? ui.save : t.saveAndTest}
          </CallButton>
          {ticketing.settings.system !== 'own' && (
            <span className="text-agate text-ink-3">
              {ticketing.polledAt === null
                ? t.notReadYet
                : t.lastRead({ when: formatWhen(ticketing.polledAt, zone) })}{' '}
              {ticketing.waiting > 0 && t.waiting({ count: ticketing.waiting })}
            </span>
          )}
        </div>
        {system === 'connectwise' && ticketing.settings.system === 'connectwise' && (
          <div className="grid gap-1 text-ink-2">
            <span>{t.callbackHint}</span>
            <CopyText text={ticketing.callback} label={t.copyCallback} copied={t.copiedCallback} />
          </div>
        )}
      </div>
    </form>
  );
}

const pick = (
  label: string,
  value: string | null,
  options: readonly { readonly id: string; readonly name: string }[],
  on: (id: string) => void,
) => (
  <Select
    block
    label={label}
    value={value ?? ''}
    placeholder={t.choose}
    options={options.map(({ id, name }) => ({ value: id, label: name }))}
    onChange={on}
  />
);
/** Returns the values that differ from the sent ones. */
const changedSince = (sent: Ticketing, now: Ticketing): Partial<Ticketing> =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(sent[name as keyof Ticketing]),
    ),
  );
const SYSTEMS: readonly { readonly value: TicketSystem; readonly label: string }[] = [
  { value: 'own', label: t.systemNone },
  { value: 'connectwise', label: t.connectwisePsa },
  { value: 'autotask', label: t.autotaskPsa },
];
const secretWords = (stored: boolean): string => (stored ? t.secretStored : t.secretNew);
const getDays = (text: string): number | null =>
  Number(text) >= 1 && Number(text) <= 365 ? Number(text) : null;

interface TicketingForm {
  readonly settings: Ticketing;
  /** How long a ticket is reopened, as typed. */
  readonly days: string;
  readonly secret: string;
}
interface Stored {
  readonly after: TicketingState;
  /** Null: there is nothing to test. */
  readonly test: Result<OutputOf<'testTicketing'>> | null;
}
const getForm = (settings: Ticketing): TicketingForm => ({
  settings,
  days: String(settings.reopenDays || 7),
  secret: '',
});
const readSettings = ({ settings, days }: TicketingForm): Ticketing => ({
  ...settings,
  connectwise: settings.system === 'connectwise' ? (settings.connectwise ?? NO_CW) : null,
  autotask: settings.system === 'autotask' ? (settings.autotask ?? NO_AT) : null,
  reopenDays: settings.reopenDays > 0 ? (getDays(days) ?? settings.reopenDays) : 0,
});
const schema = makeFormSchema(ticketingCalls.setTicketing.input, (form: TicketingForm) => ({
  value: {
    settings: readSettings(form),
    ...(form.secret !== '' && form.settings.system !== 'own' && { secret: form.secret }),
  },
}));
