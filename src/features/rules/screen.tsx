import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { InputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useNow } from '#src/app/clock.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DeleteDialog } from '../shared/delete-dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { SectionLink } from '../shared/section-link.tsx';
import { EXAMPLES, rulesPlace } from './address.ts';
import { rulesAddress } from '../shared/page-links/rules.ts';
import { Editor } from './editor.tsx';
import { getRuleForm } from './form.ts';
import { RuleList } from './list.tsx';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { ruleMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

/** `/monitoring/rules`: rules that the server applies to new results (RULES-6). */
export function Rules() {
  const { history } = useRouter();
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  const place = rulesPlace(search);
  const { open } = place;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const companies = useWatch('companies', EMPTY);
  const zone = useZone();
  const now = useNow(30_000);
  const request = useCachedQuery('listRules', EMPTY);
  const mutation = useServerMutation();
  const [deleting, setDeleting] = useState(false);
  const [gone, setGone] = useState<string | null>(null);
  const rules = request.value?.rules ?? null;
  const rule = rules?.find((one) => getId(one) === open && open !== gone) ?? null;
  const names = new Map(companies?.map(({ n, name }) => [n, name]));

  const close = (): void => {
    history.push(rulesAddress(null));
    requestAnimationFrame(() =>
      (
        document.querySelector<HTMLElement>(
          open === null ? '#content' : `[data-rule="${CSS.escape(open)}"]`,
        ) ?? document.querySelector<HTMLElement>('#content')
      )?.focus(),
    );
  };
  const saved = (): void => {
    request.again();
    close();
  };

  async function change(input: InputOf<'changeRules'>): Promise<void> {
    const changed = await mutation.send(() => client().ask('changeRules', input));
    if (!changed.ok) showFailure(changed.failure.message);
    request.again();
  }
  function move(id: string, by: 1 | -1): void {
    const ids = (rules ?? []).map(getId);
    const at = ids.indexOf(id);
    void change({ order: ids.toSpliced(at, 1).toSpliced(at + by, 0, id) });
  }
  async function remove(): Promise<void> {
    if (open === null) return;
    const details = await client().ask('removeRule', { id: open });
    if (details.ok) flushSync(() => setGone(open)); // its editor must not ask about unsaved changes
    setDeleting(false);
    if (!details.ok) return showFailure(details.failure.message);
    showSuccess(t.deleted);
    saved();
  }
  const make = (
    <Button
      variant="primary"
      icon="plus"
      disabled={offline}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={() => history.push(rulesAddress('new'))}
    >
      {t.newRule}
    </Button>
  );
  const initial =
    open === 'new' ? place.createForm(zone) : rule === null ? null : getRuleForm(rule, zone);

  return (
    <Page
      title={t.title}
      {...(open === null && rules !== null && rules.length > 0 && { action: make })}
    >
      <div className="min-h-full bg-sheet">
        {offline && (
          <div className="px-5 py-3">
            <Callout tone="warning">
              {request.at === null
                ? t.offline
                : t.offlineSince({ when: formatWhen(request.at, zone) })}
            </Callout>
          </div>
        )}
        {rules === null ? (
          request.failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="rules"
              level={2}
              title={t.notLoaded}
              actions={offerRetry(request.failure, request.again)}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : request.failure.message}</p>
            </Notice>
          )
        ) : initial !== null ? (
          <Editor
            key={search}
            id={open === 'new' ? null : open}
            initial={initial}
            zone={zone}
            offline={offline}
            companies={[...names]}
            people={(request.value?.people ?? []).map(({ id, name }) => [id, name] as const)}
            onSaved={saved}
            onClose={close}
            onDelete={open === 'new' ? null : () => setDeleting(true)}
          />
        ) : open !== null ? (
          <Notice
            icon="rules"
            level={2}
            title={t.notFound}
            actions={<Button onClick={close}>{t.allRules}</Button>}
          >
            <p className="m-0">{t.notFoundHint}</p>
          </Notice>
        ) : rules.length === 0 ? (
          <Empty offline={offline} make={make} />
        ) : (
          <>
            <p className="m-0 px-4 py-3 text-ink-2 tablet:px-5">{t.listHint}</p>
            <RuleList
              rules={rules}
              zone={zone}
              now={now}
              offline={offline}
              busy={mutation.busy}
              companyName={(n) => names.get(n) ?? t.unknownCompany}
              onOpen={(id) => history.push(rulesAddress(id))}
              onSwitch={({ _id: id, name, enabled, from, to, when, does }) =>
                void change({ id, rule: { name, enabled: !enabled, from, to, when, does } })
              }
              onMove={move}
            />
          </>
        )}
      </div>
      {deleting && rule !== null && (
        <DeleteDialog
          title={t.deleteTitle}
          confirmLabel={t.deleteRule}
          name={<b>{rule.name}</b>}
          consequence={t.deleteHint}
          onDelete={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}

function Empty({ offline, make }: { readonly offline: boolean; readonly make: ReactNode }) {
  return (
    <Notice icon="rules" level={2} title={t.none} actions={make}>
      <p className="m-0">{t.noneHint}</p>
      <ul className="m-0 mt-3 list-none border-t border-rule p-0 text-left">
        {EXAMPLES.map(({ title, detail, to }) => (
          <li key={title} className="border-b border-hair">
            {offline ? (
              <span className="block py-2 font-semibold">{title}</span>
            ) : (
              <SectionLink
                href={to}
                className="block py-2 font-semibold text-accent underline pointer-coarse:min-h-11"
              >
                {title}
              </SectionLink>
            )}
            <p className="m-0 pb-2 text-ink-2">{detail}</p>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const EMPTY = {};
