import { formatCount } from './format.ts';
import { percentOf } from './percent.ts';

export interface RingProps {
  readonly done: number;
  readonly of: number;
  /** What follows the numbers: `cleared`. */
  readonly word: string;
}

/** "312 of 340 cleared", with a ring that inks in. */
export function Ring({ done, of, word }: RingProps) {
  const share = of === 0 ? 1 : percentOf(done, of) / 100;
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
        <b className="text-ink">{formatCount(done)}</b> of {formatCount(of)} {word}
      </span>
    </span>
  );
}

const ROUND = 2 * Math.PI * 12;
