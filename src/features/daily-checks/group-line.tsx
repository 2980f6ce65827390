// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- an ARIA grid instead of a table: only visible rows are rendered */
import { formatList } from '#contract/i18n/list.ts';
import type { CSSProperties } from 'react';
import type { RunGrouping, GroupHead } from '#contract/runs/query.ts';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { getPercent } from '#src/ui/percent.ts';
import { StateMark } from '#src/ui/state-mark.tsx';
import { placed } from './row.tsx';
import { dailyChecksMessages as t } from './messages.en.ts';
import { richText } from '#src/ui/rich-text.tsx';

export const GROUP_WORDS: Readonly<Record<RunGrouping, string>> = {
  company: t.company,
  job: t.job,
  cause: t.cause,
  server: t.server,
};

interface GroupLineProps {
  readonly head: GroupHead;
  readonly group: RunGrouping;
  readonly index: number;
  readonly apart: number | null;
  readonly cards: boolean;
  readonly cursor: boolean;
  readonly tabbed: boolean;
  readonly chosen: 'none' | 'some' | 'all';
  readonly canAct: boolean;
}

/**
 * Header of a group. Its rule fills as problems are cleared; when all are cleared it gets a double
 * rule and is muted.
 */
export function GroupLine({
  head,
  group,
  index,
  apart,
  cards,
  cursor,
  tabbed,
  chosen,
  canAct,
}: GroupLineProps) {
  const { progress, folded } = head;
  const done = progress.of > 0 && progress.cleared >= progress.of;
  const title = head.causes ? t.singleCauses : head.title === '' ? NAMELESS[group] : head.title;
  const named = head.causes ? title : t.groupName({ kind: GROUP_WORDS[group], name: title });
  const holds = formatList(
    [
      t.jobCount({ count: head.jobs }),
      ...(group === 'company' ? [] : [t.companyCount({ count: head.companies })]),
    ],
    'plain',
  );
  const cleared =
    progress.of === 0
      ? t.resultCount({ count: head.rows })
      : t.clearedCount({
          done: formatCount(progress.cleared),
          total: formatCount(progress.of),
        });
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={tabbed ? 0 : -1}
      className={`dc-row dc-group ${cards ? 'dc-group-card' : ''}`}
      aria-label={`${named}, ${holds}, ${cleared}, ${folded ? t.groupCollapsed : t.groupExpanded}`}
      {...(canAct && { 'aria-selected': chosen === 'all' })}
      style={
        {
          ...placed(apart),
          '--cleared': getPercent(progress.cleared, progress.of) / 100,
        } as CSSProperties
      }
      {...(chosen !== 'none' && { 'data-selected': '' })}
      {...(cursor && { 'data-cursor': '' })}
      {...(done && { 'data-ruled': '' })}
    >
      <div role="gridcell" className="dc-gsel">
        {canAct && (
          <button
            type="button"
            role="checkbox"
            tabIndex={-1}
            data-do="select"
            className="dc-boxed"
            aria-label={t.selectGroup({ name: title })}
            aria-checked={chosen === 'all' ? true : chosen === 'some' ? 'mixed' : false}
          >
            <span className="dc-box" {...(chosen !== 'none' && { 'data-on': '' })}>
              {chosen !== 'none' && (
                <Icon name={chosen === 'all' ? 'check' : 'minus'} size={12} stroke={2.25} />
              )}
            </span>
          </button>
        )}
      </div>
      <div role="gridcell" className="dc-gname">
        <button
          type="button"
          tabIndex={-1}
          data-do="fold"
          aria-expanded={!folded}
          aria-label={(folded ? t.expandGroup : t.collapseGroup)({ name: title })}
          className="dc-gfold shrink-0"
        >
          <Icon name={folded ? 'chevron-right' : 'chevron-down'} />
        </button>
        <span className="dc-gst shrink-0">
          <StateMark state={head.worst} bare done={done} />
        </span>
        <span className="dc-cut" data-tip={head.causes ? t.singleCausesHint : title}>
          {group === 'cause' ? <Template text={title} /> : <b>{title}</b>}
        </span>
        <span className="dc-ghold">{holds}</span>
      </div>
      <div role="gridcell" className="dc-gdone">
        {cards && <>{holds}, </>}
        {progress.of === 0
          ? cleared
          : richText(t.clearedCount, {
              done: <b>{formatCount(progress.cleared)}</b>,
              total: formatCount(progress.of),
            })}
      </div>
      <div role="gridcell" className="dc-rev">
        {done ? (
          <span className="dc-inked" data-tip={t.cleared}>
            <Icon name="tick" size={20} stroke={1.4} />
          </span>
        ) : (
          canAct &&
          progress.of > 0 && (
            <button
              type="button"
              tabIndex={-1}
              data-do="review"
              aria-label={t.reviewGroup({ name: title })}
            >
              <i className="dc-ring dc-ring-all" />
            </button>
          )
        )}
      </div>
    </div>
  );
}

const NAMELESS: Readonly<Record<RunGrouping, string>> = {
  company: t.noCompany,
  job: t.noJob,
  cause: t.nothingWrong,
  server: t.noServer,
};

/**
 * A message template: fixed words, with the names of variable parts: `Unable to connect to host
 * ‹host›`.
 */
function Template({ text }: { readonly text: string }) {
  return (
    <b>
      {text
        .split(/(‹[^›]*›)/u)
        .map((part, i) => (part.startsWith('‹') ? <i key={i}>{part}</i> : part))}
    </b>
  );
}
