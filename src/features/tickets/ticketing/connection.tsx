import { useState } from 'react';
import type { FormEvent } from 'react';
import type { TicketingState } from '#contract/tickets/ticketing-calls.ts';
import type { Ticketing } from '#contract/tickets/ticketing.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { TicketSystem } from '#contract/tickets/tickets.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Callout } from '#src/ui/callout.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
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
  const [draft, setDraft] = useState<Ticketing>(ticketing.settings);
  const [days, setDays] = useState(String(ticketing.settings.reopenDays || 7));
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [tested, setTested] = useState<{
    readonly ok: boolean;
    readonly description: string;
  } | null>(null);
  const { system } = draft;
  const { choices } = ticketing;
  const cw = draft.connectwise ?? NO_CW;
  const at = draft.autotask ?? NO_AT;
  const set = (next: Partial<Ticketing>): void => setDraft((before) => ({ ...before, ...next }));
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  const other =
    system !== ticketing.settings.system ||
    JSON.stringify(draft[system === 'own' ? 'board' : system]) !==
      JSON.stringify(ticketing.settings[system === 'own' ? 'board' : system]);

  async function save(next: Ticketing, test: boolean): Promise<void> {
    setBusy(true);
    setError(null);
    setTested(null);
    const result = await withReauth(() =>
      client().ask('setTicketing', {
        settings: next,
        ...(secret !== '' && next.system !== 'own' && { secret }),
      }),
    );
    if (!result.ok) {
      setBusy(false);
      return setError(
        result.failure.kind === 'bad-input'
          ? (result.failure.issues[0]?.message ?? result.failure.message)
          : result.failure.message,
      );
    }
    setSecret('');
    let after = result.value;
    if (test && next.system !== 'own') {
      const answer = await client().ask('testTicketing', {});
      if (answer.ok) {
        after = answer.value.kept;
        setTested({ ok: answer.value.ok, description: answer.value.says });
      } else setError(answer.failure.message);
    } else tell(t.saved);
    setBusy(false);
    // Choices made during the request are kept.
    setDraft((now) => ({ ...after.settings, ...changedSince(next, now) }));
    onSaved(after);
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save(toCompleteDraft(draft, cw, at, days), system !== 'own');
  };

  return (
    <form onSubmit={submit}>
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
              onChange={({ target }) => setSecret(target.value)}
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
              onChange={({ target }) => setSecret(target.value)}
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
                  const next = {
                    board,
                    ...(system === 'connectwise' && { openStatus: null, closeStatus: null }),
                  };
                  set(next);
                  void save({ ...toCompleteDraft(draft, cw, at, days), ...next }, true);
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
            onChange={({ target }) => setDays(target.value.replaceAll(/\D/g, ''))}
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
        {tested === null && ticketing.fault !== null && system === ticketing.settings.system && (
          <Callout tone="warning">
            {ticketing.fault} {t.retrying}
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
const toCompleteDraft = (
  draft: Ticketing,
  connectwise: NonNullable<Ticketing['connectwise']>,
  autotask: NonNullable<Ticketing['autotask']>,
  days: string,
): Ticketing => ({
  ...draft,
  connectwise: draft.system === 'connectwise' ? connectwise : null,
  autotask: draft.system === 'autotask' ? autotask : null,
  reopenDays: draft.reopenDays > 0 ? (getDays(days) ?? draft.reopenDays) : 0,
});
