import { formatList } from '#contract/i18n/list.ts';
import { useState } from 'react';
import { ticketingCalls } from '#contract/tickets/ticketing-calls.ts';
import type { MappedOut } from '#contract/tickets/ticketing-calls.ts';
import type { MappingHealth } from '#contract/tickets/ticketing.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { Named, TicketSystem } from '#contract/tickets/tickets.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { formatWhen } from '#src/ui/format.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { useIsSettled } from '../../shared/queries/use-is-settled.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ticketingMessages as t } from './messages.en.ts';

export interface MappingsProps {
  readonly system: Exclude<TicketSystem, 'own'>;
  readonly rows: readonly MappedOut[] | null;
  readonly offline: boolean;
  readonly zone: string;
  readonly onRows: (rows: readonly MappedOut[]) => void;
}
interface Pair {
  readonly company: number;
  readonly remote: Named | null;
}

const HEALTH: Readonly<
  Record<MappingHealth, { readonly label: string; readonly icon: IconName; readonly text: string }>
> = {
  'ok': { label: t.healthOk, icon: 'success', text: 'text-success' },
  'renamed': { label: t.renamed, icon: 'warning', text: 'text-warning' },
  'missing': { label: t.missing, icon: 'failed', text: 'text-failed' },
  'not mapped': { label: t.notMapped, icon: 'missed', text: 'text-missed' },
};
/** Maximum number of displayed companies; others are found by searching. */
const MAX_SHOWN = 200;

/** All companies, each with its counterpart in the ticketing system. */
export function Mappings({ system, rows, offline, zone, onRows }: MappingsProps) {
  const [text, setText] = useState('');
  const mutation = useServerMutation();
  const error = mutation.failure?.message ?? null;
  const [found, setFound] = useState<readonly Pair[] | null>(null);
  const [choosing, setChoosing] = useState<MappedOut | null>(null);
  const name = SYSTEM_NAMES[system];
  const wanted = text.trim().toLowerCase();
  const checked = rows?.reduce((max, { checkedAt }) => Math.max(max, checkedAt ?? 0), 0) ?? 0;
  const shown = (rows ?? [])
    .filter(
      (one) =>
        one.name.toLowerCase().includes(wanted) ||
        (one.remote?.name.toLowerCase().includes(wanted) ?? false),
    )
    .toSorted((a, b) => RANK[a.health] - RANK[b.health]);
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};

  async function check(): Promise<void> {
    const details = await mutation.send(() => client().ask('checkMappings', {}));
    if (!details.ok) return;
    onRows(details.value.companies);
    setFound(details.value.found);
  }
  async function put(pairs: readonly Pair[], said: string): Promise<void> {
    const details = await mutation.send(() =>
      client().ask('setMappings', {
        pairs: pairs.map(({ company, remote }) => ({ company, remote })),
      }),
    );
    setFound(null);
    if (!details.ok) return;
    onRows(details.value);
    showSuccess(said);
  }

  return (
    <FormSection
      wide
      title={t.companies}
      place="companies"
      description={
        <>
          {t.companiesHint}
          {checked > 0 && (
            <span className="block text-agate text-ink-3">
              {t.checkedAt({ when: formatWhen(checked, zone) })}
            </span>
          )}
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 grow">
          <SearchField label={t.searchCompanies} value={text} onChange={setText} />
        </div>
        <Button busy={mutation.busy} disabled={offline} {...why} onClick={() => void check()}>
          {t.match}
        </Button>
      </div>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      {found !== null &&
        (found.length === 0 ? (
          <Callout tone="success" alert>
            {t.noMatches({ system: name })}
          </Callout>
        ) : (
          <Callout
            tone="running"
            alert
            action={
              <span className="flex flex-wrap gap-2">
                <Button
                  size="sm"
                  variant="primary"
                  busy={mutation.busy}
                  onClick={() => void put(found, t.mapped({ count: found.length }))}
                >
                  {t.mapMatches({ count: found.length })}
                </Button>
                <Button size="sm" onClick={() => setFound(null)}>
                  {t.dismiss}
                </Button>
              </span>
            }
          >
            {matchesText(found, name)}
          </Callout>
        ))}
      {rows !== null && rows.length === 0 && <p className="m-0 text-ink-2">{t.none}</p>}
      <ul className="m-0 list-none border-t border-rule p-0" aria-busy={rows === null}>
        {shown.slice(0, MAX_SHOWN).map((one) => {
          const { label, icon, text: colour } = HEALTH[one.health];
          return (
            <li
              key={one.company}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-b border-hair py-1.5 tablet:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_7rem_auto]"
            >
              <span className="min-w-0 truncate font-semibold" data-tip={one.name}>
                {one.name}
              </span>
              <span
                className="col-start-1 min-w-0 truncate text-ink-2 tablet:col-start-2"
                data-tip={one.remote?.name}
              >
                {one.remote?.name ?? '–'}
              </span>
              <span
                className={`col-start-1 inline-flex items-center gap-1.5 tablet:col-start-3 ${colour}`}
              >
                <Icon name={icon} />
                {label}
              </span>
              <Button
                size="sm"
                className="col-start-2 row-span-3 row-start-1 tablet:col-start-4 tablet:row-span-1"
                aria-label={t.mapCompany({ name: one.name })}
                disabled={offline}
                {...why}
                onClick={() => setChoosing(one)}
              >
                {t.map}
              </Button>
            </li>
          );
        })}
      </ul>
      {shown.length > MAX_SHOWN && (
        <p className="m-0 text-agate text-ink-3">{t.more({ count: shown.length - MAX_SHOWN })}</p>
      )}
      {rows !== null && rows.length > 0 && shown.length === 0 && (
        <p className="m-0 text-ink-2">{t.noneFound}</p>
      )}
      {choosing !== null && (
        <Choose
          one={choosing}
          system={system}
          onClose={() => setChoosing(null)}
          onMapped={(mapped, message) => {
            setChoosing(null);
            onRows(mapped);
            showSuccess(message);
          }}
        />
      )}
    </FormSection>
  );
}

function matchesText(found: readonly Pair[], system: string): string {
  const names = formatList(
    found.slice(0, 5).map(({ remote }) => remote?.name ?? ''),
    'plain',
  );
  const more = found.length - 5;
  return more > 0
    ? t.matchesMore({ count: found.length, system, names, more })
    : t.matches({ count: found.length, system, names });
}

const RANK: Readonly<Record<MappingHealth, number>> = {
  'missing': 0,
  'not mapped': 1,
  'renamed': 2,
  'ok': 3,
};

const SETTLE_MS = 250;

function Choose({
  one,
  system,
  onClose,
  onMapped,
}: {
  readonly one: MappedOut;
  readonly system: Exclude<TicketSystem, 'own'>;
  readonly onClose: () => void;
  readonly onMapped: (rows: readonly MappedOut[], message: string) => void;
}) {
  const [typed, setTyped] = useState(one.name);
  const removal = useServerMutation();
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { remote: one.remote },
    schema: makeFormSchema(
      ticketingCalls.setMappings.input,
      ({ remote }: { readonly remote: Named | null }) => ({
        value: { pairs: [{ company: one.company, remote }] },
        errors: { remote: remote === null ? t.companyMissing : null },
      }),
    ),
    submit: (input) => client().ask('setMappings', input),
    onSaved: (mapped) => onMapped(mapped, t.mapped({ count: 1 })),
  });
  const remove = async (): Promise<void> => {
    const answer = await removal.send(() =>
      client().ask('setMappings', { pairs: [{ company: one.company, remote: null }] }),
    );
    if (answer.ok) onMapped(answer.value, t.unmapped);
  };
  const search = typed.trim();
  const isSettled = useIsSettled(search, SETTLE_MS);
  const found = useQuery(
    system === 'connectwise' ? 'connectwiseCompanies' : 'autotaskAccounts',
    { pageSize: '50', ...(search !== '' && { search }) },
    isSettled,
    { keepsPrevious: true },
  );
  // What was found stays while others are searched, also if that fails.
  const [rows, setRows] = useState<readonly Named[]>(one.remote ? [one.remote] : []);
  if (found.value !== null && found.value.rows !== rows) setRows(found.value.rows);
  const { remote: chosen } = form;
  const options =
    chosen !== null && !rows.some(({ id }) => id === chosen.id) ? [chosen, ...rows] : rows;
  return (
    <FormDialog
      title={t.mapCompany({ name: one.name })}
      onClose={onClose}
      submitLabel={t.map}
      busy={busy}
      error={error ?? removal.failure?.message ?? null}
      formRef={formRef}
      onSubmit={(event) => {
        removal.clear();
        return save(event);
      }}
      actions={
        one.remote !== null && (
          <Button busy={removal.busy} disabled={busy} onClick={() => void remove()}>
            {t.unmap}
          </Button>
        )
      }
    >
      <div className="grid min-h-64 content-start gap-3">
        <Combobox
          label={t.companyIn({ system: SYSTEM_NAMES[system] })}
          required
          value={chosen?.id ?? ''}
          placeholder={t.typeName}
          options={options.map(({ id, name }) => ({ value: id, label: name }))}
          error={errors['remote'] ?? found.failure?.message ?? null}
          onType={setTyped}
          onChange={(id) => change({ remote: options.find((each) => each.id === id) ?? null })}
        />
        {one.health === 'renamed' && <p className="m-0 text-ink-2">{t.renamedHint}</p>}
      </div>
    </FormDialog>
  );
}
