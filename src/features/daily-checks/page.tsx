import { Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { can } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { RunN } from '#contract/ids.ts';
import type { GroupHead, RunView } from '#contract/runs/query.ts';
import { prefetch } from '#src/app/prefetch.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { announce } from '#src/app/shell/announce.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { Pill } from '#src/ui/chip.tsx';
import { formatCount, formatDay } from '#src/ui/format.ts';
import { getPercent } from '#src/ui/percent.ts';
import { Ring } from '#src/ui/ring.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { ListsFrame } from '../shared/lists/list-tabs.tsx';
import { formatListQuery } from '../shared/runs/list-address.ts';
import type { BulkAction } from './bulk-bar.tsx';
import {
  BulkBar,
  Dialogs,
  Empty,
  LATER_PARTS,
  ListLines,
  OpenRun,
  ToolbarParts,
} from './lazy-parts.ts';
import { moveListCursor } from './cursor.ts';
import { Facets, FacetsHead } from './facets.tsx';
import { CARD_PX, DENSE_PX, Grid, ROW_PX } from './grid.tsx';
import type { HeadPress, Press } from './grid.tsx';
import { asks } from './keyboard-shortcuts.ts';
import type { ShortcutCommand } from './keyboard-shortcuts.ts';
import { clearedList, ofCause } from '../shared/runs/list-state.ts';
import { SyncNotices } from '../shared/runs/sync-notices.tsx';
import { RunLoading } from './run-loading.tsx';
import { extended, countMatching, NO_SELECTION } from './selection.ts';
import { Toolbar } from './toolbar.tsx';
import { useRunActions } from './use-run-actions.ts';
import { useKeys } from './use-keyboard-shortcuts.ts';
import { useRunList } from './use-run-list.ts';
import { headAt, rowAt, getScrollState } from './lines.ts';
import { useColumns } from './use-columns.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

const STILL = {};

/** The daily checks of one user. */
export function DailyChecksPage({
  me,
  branding,
}: {
  readonly me: Me;
  readonly branding: Branding;
}) {
  const round = useRunList(me, branding);
  const actions = useRunActions(round, me.id);
  const choice = useColumns(me.id);
  const status = useWatch('status', STILL);
  const phone = !useIsTablet();
  const canAct = can(me.roles, 'monitoring.job-actions');
  const { list, setList, view, selection, cursor, now, rule } = round;
  const zone = rule.zone;
  const total = view?.total ?? 0;
  const matching = countMatching(view, list.review);
  const progress = view?.progress;
  const count = selection.runs.size;
  const found = view === undefined || round.isInUse ? '' : t.resultCount({ count: view.total });
  useEffect(() => prefetch(...LATER_PARTS), []);
  useEffect(() => {
    if (found !== '') announce(found);
  }, [found]);
  useEffect(() => {
    if (count > 0) announce(t.selectedCount({ count: formatCount(count) }));
  }, [count]);

  const openRow = (row: RunView, how: 'push' | 'replace'): void =>
    setList({ ...list, open: row.n }, how);
  const close = (): void => {
    setList({ ...list, open: null });
    if (cursor) round.setCursor({ ...cursor, step: cursor.step + 1 });
  };
  const move = (by: number): void => {
    const next = moveListCursor(cursor, by, view);
    if (!next) return;
    round.work();
    round.setCursor(next);
    const row = rowAt(view, next.index);
    if (list.open !== null && row) openRow(row, 'replace');
  };
  const extend = (by: 1 | -1): void => {
    const next = moveListCursor(cursor, by, view);
    const rows = [rowAt(view, cursor?.index ?? -1), rowAt(view, next?.index ?? -1)].filter(
      (row) => row !== undefined,
    );
    if (!next || rows.length === 0) return;
    round.work();
    round.setSelection(
      extended(
        selection,
        rows.map(({ n, company }) => ({ n, company })),
      ),
    );
    round.setCursor(next);
  };
  const perPage = Math.max(
    1,
    Math.floor(
      (globalThis.innerHeight - 220) / (phone ? CARD_PX : choice.dense ? DENSE_PX : ROW_PX),
    ),
  );

  // While "select all" is loading, key presses are queued, because they apply to its selection.
  const waiting = useRef<ShortcutCommand[] | null>(null);
  const [named, setNamed] = useState(0);
  const selectAll = (): void => {
    waiting.current ??= [];
    void actions.selectAll().finally(() => setNamed((n) => n + 1));
  };

  /**
   * A key on a group header applies to all of its rows. Later keys are queued until those are
   * loaded.
   */
  const withMembers = (head: GroupHead, act: (runs: readonly RunN[]) => void): void => {
    waiting.current ??= [];
    void actions
      .getMembers(head)
      .then(act)
      .finally(() => setNamed((n) => n + 1));
  };
  /**
   * Returns whether the group header handled the command. With a selection, commands that change
   * data apply to the selection.
   */
  const commandHead = (what: ShortcutCommand, head: GroupHead): boolean => {
    switch (what) {
      case 'open':
        round.fold(head.key);
        return true;
      case 'fold':
      case 'unfold':
        if (head.folded === (what === 'unfold')) round.fold(head.key);
        return true;
      case 'select':
        void actions.selectGroup(head);
        return true;
      case 'review':
        if (count > 0) return false;
        withMembers(head, (runs) => actions.change({ kind: 'review', comment: null }, runs));
        return true;
      case 'review-with':
      case 'snooze':
      case 'note':
      case 'ticket': {
        if (count > 0) return false;
        const action = what === 'review-with' ? 'review' : what;
        withMembers(head, (runs) => actions.openDialog(action, runs));
        return true;
      }
      default:
        return false;
    }
  };
  const pressHead = (what: HeadPress, head: GroupHead, index: number): void => {
    round.setCursor({ index, n: null, step: cursor?.step ?? 0 });
    switch (what) {
      case 'fold':
        return round.fold(head.key);
      case 'select':
        void actions.selectGroup(head);
        return undefined;
      case 'review':
        return canAct
          ? withMembers(head, (runs) => actions.change({ kind: 'review', comment: null }, runs))
          : undefined;
    }
  };

  const command = (what: ShortcutCommand): void => {
    // the dialog is loading, so keys are not meant for the list
    if (actions.dialog !== null) return what === 'back' ? actions.setDialog(null) : undefined;
    if (waiting.current !== null) {
      waiting.current.push(what);
      return undefined;
    }
    const row = rowAt(view, cursor?.index ?? -1);
    const head = headAt(view, cursor?.index ?? -1);
    if (head && commandHead(what, head)) return undefined;
    switch (what) {
      case 'next':
        return move(1);
      case 'previous':
        return move(-1);
      case 'page-down':
        return move(perPage);
      case 'page-up':
        return move(-perPage);
      case 'first':
        return move(-(view?.lines ?? 0));
      case 'last':
        return move(view?.lines ?? 0);
      case 'extend-next':
        return extend(1);
      case 'extend-previous':
        return extend(-1);
      case 'select':
        return row && actions.select(row, cursor?.index ?? 0, false);
      case 'select-all':
        return selectAll();
      case 'open':
        return row && openRow(row, 'push');
      case 'back':
        if (list.open !== null) return close();
        if (count > 0) round.setSelection(NO_SELECTION);
        return undefined; // keys still apply to this row
      case 'review':
        return actions.review(actions.targets());
      case 'review-with':
        return actions.openDialog('review', actions.targets());
      case 'snooze':
        return actions.openDialog('snooze', actions.targets());
      case 'note':
      case 'ticket':
        return actions.openDialog(what, actions.targets());
      case 'columns':
        return actions.setDialog({ kind: 'columns' });
      case 'fold':
      case 'unfold':
        return undefined; // rows cannot be collapsed
      case 'facets': {
        const first = document.querySelector<HTMLElement>('aside.dc-facets button');
        if (first?.offsetParent) first.focus();
        else actions.setDialog({ kind: 'facets' });
        return undefined;
      }
      case 'refresh':
        return round.takeIn();
      case 'help':
        return actions.setDialog({ kind: 'help' });
    }
  };
  useKeys(canAct, command);
  const goOn = useEffectEvent((): void => {
    const keys = waiting.current;
    waiting.current = null;
    for (const key of keys ?? []) {
      command(key);
      if (asks(key)) break; // later keys were meant for the dialog
    }
  });
  useEffect(() => {
    if (named > 0) goOn();
  }, [named]);

  const press = (what: Press, row: RunView, index: number, shift: boolean): void => {
    const at = { index, n: row.n, step: cursor?.step ?? 0 };
    switch (what) {
      case 'open':
        round.setCursor(at);
        return openRow(row, list.open === null ? 'push' : 'replace');
      case 'select':
        round.setCursor(at);
        return actions.select(row, index, shift);
      case 'review':
        return canAct ? actions.review([row.n]) : undefined;
      case 'undo':
        return actions.change({ kind: row.problem?.review ? 'reopen' : 'unsnooze' }, [row.n]);
    }
  };
  const bulk = (action: BulkAction): void => {
    switch (action) {
      case 'all':
        return selectAll();
      case 'clear':
        return round.setSelection(NO_SELECTION);
      case 'snooze':
      case 'note':
      case 'ticket':
        return actions.openDialog(action, actions.targets());
      case 'review':
        return actions.change({ kind: 'review', comment: null }, actions.targets());
      case 'reopen':
      case 'unsnooze':
        return actions.change({ kind: action }, actions.targets());
    }
  };
  const open = list.open === null ? null : (actions.getRow(list.open) ?? null);
  const fresh = view?.fresh ?? 0;
  const loaded = view?.loaded;

  return (
    <Page
      title={t.dailyChecks}
      detail={formatDay(now, zone)}
      scroll="own"
      progress={
        progress && progress.of > 0 ? <Ring done={progress.cleared} of={progress.of} /> : undefined
      }
      search={
        <SearchField
          label={t.searchJobsCompaniesCauses}
          value={list.text}
          focusKey="/"
          onChange={(text, at) => setList({ ...list, text }, 'replace', at)}
          onLeave={() => document.querySelector<HTMLElement>('[role=grid] [tabindex="0"]')?.focus()}
        />
      }
    >
      <ListsFrame
        me={me}
        now={now}
        chosen="results"
        query={formatListQuery(list)}
        results={view?.total}
        aside={
          <>
            {loaded && loaded.days < loaded.of && (
              <span className="text-agate whitespace-nowrap text-ink-3">
                {t.daysLoaded({ loaded: loaded.days, total: loaded.of })}
              </span>
            )}
            {fresh > 0 && (
              <Pill keycap="R" onClick={round.takeIn}>
                {t.newPress({ count: formatCount(fresh) })}
              </Pill>
            )}
          </>
        }
      >
        <div className="dc-work" {...(list.open !== null && { 'data-panel': '' })}>
          <aside className="dc-facets hidden desk:block" aria-label={t.filters}>
            <FacetsHead list={list} onList={(next, at) => setList(next, 'push', at)} />
            <Facets
              facets={view?.facets}
              list={list}
              onList={(next, at) => setList(next, 'push', at)}
            />
          </aside>
          <section className="dc-list" aria-label={t.results}>
            <div>
              <Toolbar
                list={list}
                facets={view?.facets}
                onList={(next, at) => setList(next, 'push', at)}
                rule={rule}
                now={now}
                onFacets={() => actions.setDialog({ kind: 'facets' })}
                onColumns={() => actions.setDialog({ kind: 'columns' })}
                parts={
                  <Suspense fallback={<span className="h-7 w-72" />}>
                    <ToolbarParts
                      me={me}
                      list={list}
                      filter={round.filter}
                      columns={choice.columns}
                      loaded={loaded}
                      rule={rule}
                      now={now}
                      onList={(next, at) => setList(next, 'push', at)}
                    />
                  </Suspense>
                }
              />
              <Suspense>
                <ListLines
                  me={me.id}
                  zone={zone}
                  now={now}
                  filter={round.filter}
                  onList={(next) => setList(next)}
                />
              </Suspense>
              <SyncNotices
                status={status}
                newestAt={view?.newestAt ?? null}
                zone={zone}
                now={now}
              />
              <div
                className="dc-ink"
                style={
                  {
                    '--cleared': getPercent(progress?.cleared ?? 0, progress?.of ?? 0) / 100,
                  } as React.CSSProperties
                }
              />
              {fresh > 0 && phone && (
                <button
                  type="button"
                  className="h-11 w-full border-b border-hair bg-sheet text-center font-semibold text-accent"
                  onClick={round.takeIn}
                >
                  {t.newTap({ count: formatCount(fresh) })}
                </button>
              )}
            </div>
            {view && total === 0 ? (
              <Suspense fallback={<div />}>
                <Empty
                  view={view}
                  list={list}
                  filter={round.filter}
                  zone={zone}
                  now={now}
                  onClear={(at) => setList(clearedList(list), 'push', at)}
                  onList={setList}
                />
              </Suspense>
            ) : (
              <Grid
                key={phone ? 'cards' : 'rows'}
                view={view}
                window={round.window}
                cards={phone}
                cursor={cursor}
                selection={selection}
                open={list.open}
                canAct={canAct}
                me={me.id}
                zone={zone}
                now={now}
                listKey={round.key}
                onWindow={round.setWindow}
                onPoint={round.point}
                onPress={press}
                onSelectAll={selectAll}
                matching={matching}
                group={list.group}
                onPressHead={pressHead}
                columns={choice.columns}
                dense={choice.dense}
                order={list.order}
                reverse={list.reverse}
                onSort={(order, reverse) => setList({ ...list, order, reverse })}
                onColumns={choice.setColumns}
              />
            )}
            {count > 0 && (
              <Suspense fallback={<div className="dc-bulk" />}>
                <BulkBar
                  selection={selection}
                  total={matching}
                  phone={phone}
                  showing={list.review}
                  busy={actions.busy}
                  onAction={bulk}
                />
              </Suspense>
            )}
          </section>
          {list.open !== null && (
            <Suspense fallback={<RunLoading phone={phone} />}>
              <OpenRun
                n={list.open}
                row={open}
                scrollState={getScrollState(view, list.group !== null, list.open)}
                canAct={canAct}
                me={me.id}
                zone={zone}
                now={now}
                phone={phone}
                onMove={move}
                onClose={close}
                onCause={(cause) => setList(ofCause(list, cause))}
                days={round.filter}
                onRun={(n) => setList({ ...list, open: n }, 'push')}
                onAction={(action, runs) => {
                  if (action === 'review') return actions.review(runs);
                  if (action === 'snooze' || action === 'note' || action === 'ticket')
                    return actions.openDialog(action, runs);
                  if (action === 'review-with') return actions.openDialog('review', runs);
                  return actions.change({ kind: action }, runs);
                }}
              />
            </Suspense>
          )}
        </div>
      </ListsFrame>
      {actions.dialog && (
        <Suspense>
          <Dialogs
            dialog={actions.dialog}
            list={list}
            facets={view?.facets}
            total={total}
            rule={rule}
            now={now}
            canAct={canAct}
            onList={(next, at) => setList(next, 'push', at)}
            choice={choice}
            onChange={actions.change}
            onClose={() => actions.setDialog(null)}
          />
        </Suspense>
      )}
    </Page>
  );
}
