import { formatCount } from './format.ts';
import { uiMessages as t } from './messages.en.ts';
import { getPercent } from './percent.ts';
import { richText } from './rich-text.tsx';

export interface RingProps {
  readonly done: number;
  readonly of: number;
}

/** "312 of 340 cleared", with a progress ring. */
export function Ring({ done, of }: RingProps) {
  const share = of === 0 ? 1 : getPercent(done, of) / 100;
  return (
    <span className="flex items-center gap-2 whitespace-nowrap text-ink-2">
      <svg
        width="28"
        height="28"
        viewBox="0 0 28 28"
        aria-hidden
        className="shrink-0 -rotate-90"
        fill="none"
        strokeWidth="3"
      >
        <circle cx="14" cy="14" r="12" className="stroke-band" />
        {share > 0 && (
          <circle
            cx="14"
            cy="14"
            r="12"
            className="stroke-accent"
            strokeDasharray={`${share * ROUND} ${ROUND}`}
          />
        )}
      </svg>
      <span>
        {richText(t.cleared, {
          done: <b className="text-ink">{formatCount(done)}</b>,
          total: formatCount(of),
        })}
      </span>
    </span>
  );
}

const ROUND = 2 * Math.PI * 12;
