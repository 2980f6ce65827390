import { formatList } from '#contract/i18n/list.ts';
import { useState } from 'react';
import { can } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { dailyCheckCalls } from '#contract/daily-checks/operator-calls.ts';
import { ok } from '#contract/result.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { formatAge, formatDate, formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { ListPage, useListPage } from '../shared/lists/list-page.tsx';
import { useComputersNow } from '../shared/lists/computers-now.ts';
import { unignoreComputer, ignoreComputer, noteComputer } from '../shared/lists/actions.ts';
import { TextDialog } from '../shared/forms/text-dialog.tsx';
import type { TextDraft } from '../shared/forms/text-dialog.tsx';
import { IgnoreForm } from '../shared/lists/ignore-form.tsx';
import { computersShown, isIgnored } from '../shared/lists/rows.ts';
import type { Computer } from '../shared/lists/rows.ts';
import { listMessages as t } from '#src/features/shared/lists/messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

/** `/monitoring/daily-checks/computers`: computers without a backup that the server has seen. */
export function Computers() {
  const me = useMe();
  const branding = useBranding();
  return me === null || branding === null ? null : <List me={me} branding={branding} />;
}

type Asking = { readonly kind: 'note' | 'ignore'; readonly of: Computer };

function List({ me, branding }: { readonly me: Me; readonly branding: Branding }) {
  const status = useWatch('status', EMPTY);
  const companies = useWatch('companies', EMPTY);
  const offline = status?.kind === 'offline';
  const canAct = can(me.roles, 'monitoring.job-actions');
  const { rows, at, failure, again } = useComputersNow(status !== undefined && !offline);
  const now = useNow(60_000);
  const zone = branding.timeZone;
  const [asking, setAsking] = useState<Asking | null>(null);
  const names = new Map((companies ?? []).map(({ n, name }) => [n, name]));
  const state = useListPage('computers');
  const shown = rows === null ? null : computersShown(rows, state.place, names, now);
  const said = offline ? MESSAGES.needsNetwork : (failure?.message ?? null);
  return (
    <>
      <ListPage
        {...state}
        me={me}
        branding={branding}
        list="computers"
        search={t.searchComputers}
        count={shown?.length ?? null}
        ignored={(rows ?? []).filter((one) => one.jobs === 0 && isIgnored(one.ignored, now)).length}
        heads={[
          { label: t.computer, className: 'w-[26%] pl-5' },
          { label: t.company, className: 'w-[20%]' },
          { label: t.seen, className: 'w-40' },
          { label: t.note, className: '' },
        ]}
        notice={
          said === null ? null : (
            <div className="px-5 py-3">
              <RetryCallout failure={failure} offline={offline} onRetry={again}>
                {offline ? `${t.needsServer} ${said}` : said}
                {at !== null && (
                  <span className="block text-agate text-ink-3">
                    {t.listFrom({ time: formatWhen(at, zone) })}
                  </span>
                )}
              </RetryCallout>
            </div>
          )
        }
        instead={
          shown === null ? (
            said === null ? (
              <DelayedFallback>
                <PageLoading />
              </DelayedFallback>
            ) : null
          ) : (
            <Notice
              icon="computer"
              level={2}
              title={state.place.text === '' ? t.noComputers : uiMessages.noMatches}
            >
              <p className="m-0">
                {state.place.text === '' ? t.noComputersHint : t.noComputerMatches}
              </p>
            </Notice>
          )
        }
      >
        {(shown ?? []).slice(0, state.max).map((one) => (
          <Row
            key={one.id}
            one={one}
            company={names.get(one.company) ?? ''}
            canAct={canAct}
            offline={offline}
            zone={zone}
            now={now}
            onNote={() => setAsking({ kind: 'note', of: one })}
            onIgnore={() => setAsking({ kind: 'ignore', of: one })}
            onUnignore={() => void unignoreComputer(one.id, one.hostName, again)}
          />
        ))}
      </ListPage>
      {asking?.kind === 'note' && (
        <TextDialog
          title={t.noteOn({ name: asking.of.hostName })}
          label={t.note}
          hint={t.noteHint}
          initial={asking.of.note?.content ?? ''}
          submitLabel={t.saveNote}
          maxLength={LIMITS.noteChars}
          schema={makeNoteSchema(asking.of.id)}
          submit={(input) =>
            input.note === (asking.of.note?.content ?? '')
              ? Promise.resolve(ok(null))
              : noteComputer(input, asking.of.hostName)
          }
          onSaved={() => {
            setAsking(null);
            again();
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {asking?.kind === 'ignore' && (
        <IgnoreForm
          title={t.ignoreItem({ name: asking.of.hostName })}
          description={t.ignoreComputerHint}
          forGood
          zone={zone}
          now={now}
          onClose={() => setAsking(null)}
          ignore={(until) => ignoreComputer(asking.of.id, until, asking.of.hostName, again)}
          onIgnored={() => {
            setAsking(null);
            again();
          }}
        />
      )}
    </>
  );
}

interface RowProps {
  readonly one: Computer;
  readonly company: string;
  readonly canAct: boolean;
  readonly offline: boolean;
  readonly zone: string;
  readonly now: Ms;
  readonly onNote: () => void;
  readonly onIgnore: () => void;
  readonly onUnignore: () => void;
}

function Row({ one, company, canAct, offline, zone, now, onNote, onIgnore, onUnignore }: RowProps) {
  const ignored = isIgnored(one.ignored, now);
  const detail = formatList(
    [one.os ?? one.osType ?? '', one.ipAddresses[0] ?? ''].filter((word) => word !== ''),
    'plain',
  );
  const blocked = offline ? { 'disabled': true, 'data-tip': MESSAGES.needsNetwork } : {};
  return (
    <tr
      data-row
      className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-11 tablet:p-0 ${ignored ? 'text-ink-3' : ''}`}
    >
      <td className="min-w-0 tablet:pr-3 tablet:pl-5">
        <span
          className={`block truncate ${ignored ? '' : 'font-semibold'}`}
          data-tip={one.hostName}
        >
          {one.hostName}
        </span>
        <span className="block truncate text-agate text-ink-3" data-tip={detail}>
          {detail}
        </span>
      </td>
      <td className="row-start-2 min-w-0 self-center truncate tablet:pr-3" data-tip={company}>
        {company}
      </td>
      <td className="col-start-2 row-start-1 text-right whitespace-nowrap text-ink-2 tablet:text-left">
        <span className="block" data-tip={formatWhen(one.seenAt, zone)}>
          {formatAge(one.seenAt, now)}
        </span>
        <span className="block text-agate text-ink-3" data-tip={formatWhen(one.firstSeenAt, zone)}>
          {t.firstSeen({ date: formatDate(one.firstSeenAt, zone) })}
        </span>
      </td>
      <td className="col-span-2 row-start-3 min-w-0 text-ink-2 tablet:pr-3">
        {one.note !== null && (
          <span className="block break-words whitespace-pre-line">{one.note.content}</span>
        )}
        {ignored && one.ignored !== null && (
          <span className="block text-agate text-ink-3">
            {one.ignored.until === null
              ? t.ignoredForever
              : t.ignoredUntil({ time: formatWhen(one.ignored.until, zone) })}
          </span>
        )}
      </td>
      {canAct && (
        <td className="col-start-2 row-start-2 pt-1 tablet:pt-0 tablet:pr-4">
          <span className="flex justify-end gap-1">
            <Button
              size="sm"
              variant="quiet"
              {...blocked}
              aria-label={t.noteOn({ name: one.hostName })}
              onClick={onNote}
            >
              {t.note}
            </Button>
            {ignored ? (
              <Button
                size="sm"
                {...blocked}
                aria-label={t.stopIgnoringItem({ name: one.hostName })}
                onClick={onUnignore}
              >
                {t.stopIgnoring}
              </Button>
            ) : (
              <Button
                size="sm"
                {...blocked}
                aria-label={t.ignoreItem({ name: one.hostName })}
                onClick={onIgnore}
              >
                {t.ignoreEllipsis}
              </Button>
            )}
          </span>
        </td>
      )}
    </tr>
  );
}

const makeNoteSchema = (id: string) =>
  makeFormSchema(dailyCheckCalls.noteComputer.input, ({ text }: TextDraft) => ({
    value: { id, note: text.trim() },
  }));

const EMPTY = {};
