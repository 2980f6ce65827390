// redrawn as a whole where it is redrawn: the compiler's memory would cost a third more code on the
// first load
'use no memo';
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- an ARIA grid instead of a table: only visible rows are rendered */
import type { CSSProperties } from 'react';
import type { Group, GroupHead } from '#contract/runs/query.ts';
import { formatCount, plural } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { percentOf } from '#src/ui/percent.ts';
import { StateMark } from '#src/ui/state-mark.tsx';
import { placed } from './row.tsx';

export const GROUP_WORDS: Readonly<Record<Group, string>> = {
  company: 'Company',
  job: 'Job',
  cause: 'Cause',
  server: 'Server',
};

interface GroupLineProps {
  readonly head: GroupHead;
  readonly group: Group;
  readonly index: number;
  readonly apart: number | null;
  readonly cards: boolean;
  readonly cursor: boolean;
  readonly tabbed: boolean;
  readonly chosen: 'none' | 'some' | 'all';
  readonly acts: boolean;
}

/**
 * The head of a group. Its rule inks in as its problems are cleared; when all are, it is ruled off
 * twice and recedes.
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
  acts,
}: GroupLineProps) {
  const { progress, folded } = head;
  const done = progress.of > 0 && progress.cleared >= progress.of;
  const title = head.causes ? 'Single causes' : head.title === '' ? NAMELESS[group] : head.title;
  const named = head.causes ? title : `${GROUP_WORDS[group]}: ${title}`;
  const holds = [
    plural(head.jobs, 'job'),
    ...(group === 'company' ? [] : [plural(head.companies, 'company', 'companies')]),
  ].join(', ');
  const cleared =
    progress.of === 0
      ? plural(head.rows, 'result')
      : `${formatCount(progress.cleared)} of ${formatCount(progress.of)} cleared`;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={tabbed ? 0 : -1}
      className={`dc-row dc-group ${cards ? 'dc-group-card' : ''}`}
      aria-label={`${named}, ${holds}, ${cleared}, ${folded ? 'folded' : 'open'}`}
      {...(acts && { 'aria-selected': chosen === 'all' })}
      style={
        {
          ...placed(apart),
          '--cleared': percentOf(progress.cleared, progress.of) / 100,
        } as CSSProperties
      }
      {...(chosen !== 'none' && { 'data-selected': '' })}
      {...(cursor && { 'data-cursor': '' })}
      {...(done && { 'data-ruled': '' })}
    >
      <div role="gridcell" className="dc-gsel">
        {acts && (
          <button
            type="button"
            role="checkbox"
            tabIndex={-1}
            data-do="select"
            className="dc-boxed"
            aria-label={`Select all of ${title}`}
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
          aria-label={`${folded ? 'Unfold' : 'Fold'} ${title}`}
          className="dc-gfold shrink-0"
        >
          <Icon name={folded ? 'chevron-right' : 'chevron-down'} />
        </button>
        <span className="dc-gst shrink-0">
          <StateMark state={head.worst} bare done={done} />
        </span>
        <span className="dc-cut" data-tip={head.causes ? 'Causes that one job alone has' : title}>
          {group === 'cause' ? <Template text={title} /> : <b>{title}</b>}
        </span>
        <span className="dc-ghold">{holds}</span>
      </div>
      <div role="gridcell" className="dc-gdone">
        {cards && <>{holds}, </>}
        <Cleared cleared={cleared} count={progress} />
      </div>
      <div role="gridcell" className="dc-rev">
        {done ? (
          <span className="dc-inked" data-tip="Cleared">
            <Icon name="tick" size={20} stroke={1.4} />
          </span>
        ) : (
          acts &&
          progress.of > 0 && (
            <button
              type="button"
              tabIndex={-1}
              data-do="review"
              aria-label={`Review all of ${title}`}
            >
              <i className="dc-ring dc-ring-all" />
            </button>
          )
        )}
      </div>
    </div>
  );
}

const NAMELESS: Readonly<Record<Group, string>> = {
  company: 'No company',
  job: 'No job',
  cause: 'Nothing wrong',
  server: 'No server',
};

function Cleared({
  cleared,
  count,
}: {
  readonly cleared: string;
  readonly count: GroupHead['progress'];
}) {
  return count.of === 0 ? (
    cleared
  ) : (
    <>
      <b>{formatCount(count.cleared)}</b>
      {cleared.slice(formatCount(count.cleared).length)}
    </>
  );
}

/**
 * Fixed words stand here, and what varies is named by its mark: `Unable to connect to host ‹host›`.
 */
function Template({ text }: { readonly text: string }) {
  return (
    <b>
      {text
        .split(/(‹[^›]*›)/u)
        .map((part, i) => (part.startsWith('‹') ? <i key={i}>{part}</i> : part))}
    </b>
  ); // eslint-disable-line react/no-array-index-key
}
