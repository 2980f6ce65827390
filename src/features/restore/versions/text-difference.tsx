import type { ReactNode } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { pairLines } from './pair-lines.ts';
import { restoreVersionMessages as t } from './messages.en.ts';

type Difference = Pick<OutputOf<'compareItemVersions'>, 'isSameContent' | 'lines' | 'reason'>;

/** How two texts differ, line beside line, or why that isn't shown. */
export function TextDifference({
  difference: { isSameContent, lines, reason },
}: {
  readonly difference: Difference;
}): ReactNode {
  if (lines === null)
    return <p className="m-0 text-ink-2">{isSameContent ? t.sameContent : getReason(reason)}</p>;
  if (lines.every(({ kind }) => kind === 'same'))
    return <p className="m-0 text-ink-2">{isSameContent ? t.sameContent : t.sameText}</p>;
  return (
    <table aria-label={t.text} className="w-full table-fixed border-collapse">
      <tbody>
        {pairLines(lines).map((pair, at) =>
          'count' in pair ? (
            // eslint-disable-next-line react/no-array-index-key -- the lines never change
            <tr key={at} className="border-b border-hair">
              <td colSpan={2} className="bg-paper px-2 py-1 text-agate text-ink-3">
                {t.sameLines({ count: pair.count })}
              </td>
            </tr>
          ) : (
            // eslint-disable-next-line react/no-array-index-key -- the lines never change
            <tr key={at} className="align-top">
              <td className="border-r border-hair px-2 py-0.5 break-words whitespace-pre-wrap">
                {pair.isSame ? (
                  pair.before
                ) : pair.before === null ? null : (
                  <del className="block bg-failed-wash text-ink no-underline">
                    <span className="sr-only">{t.removed}: </span>
                    <span aria-hidden>− </span>
                    {pair.before}
                  </del>
                )}
              </td>
              <td className="px-2 py-0.5 break-words whitespace-pre-wrap">
                {pair.isSame ? (
                  pair.after
                ) : pair.after === null ? null : (
                  <ins className="block bg-success-wash text-ink no-underline">
                    <span className="sr-only">{t.added}: </span>
                    <span aria-hidden>+ </span>
                    {pair.after}
                  </ins>
                )}
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

const getReason = (reason: Difference['reason']): string =>
  reason === 'too-large' ? t.tooLarge : reason === 'too-different' ? t.tooDifferent : t.noText;
