/** Whether the memory of a process grows. */
import { median } from './figures.ts';

/** `at` in ms. */
export interface Sample {
  readonly at: number;
  readonly mb: number;
}

/** The first part, in which caches fill and code is compiled. */
const WARM_UP = 0.3;
/** The maximum number of samples: every pair of them is compared. */
const MAX_SAMPLES = 300;
/** A shorter time shows nothing. */
const SHORTEST_MINUTES = 1;
/** A server that leaks nothing moves by this, as its caches fill. */
const NOISE_MB = 10;
const NOISE_PART = 0.1;

const getSettled = (samples: readonly Sample[]): readonly Sample[] => {
  const settled = samples.slice(Math.floor(samples.length * WARM_UP));
  const step = Math.max(1, Math.ceil(settled.length / MAX_SAMPLES));
  return settled.filter((_, index) => index % step === 0);
};

/** Returns the median of the slopes of all pairs (Theil and Sen), in MB a minute. */
export function getSlope(samples: readonly Sample[]): number {
  const settled = getSettled(samples);
  const slopes = settled.flatMap((one, index) =>
    settled.slice(index + 1).map((other) => ((other.mb - one.mb) / (other.at - one.at)) * 60_000),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/**
 * Whether the slope, over the time that was watched, is more than what a server moves by anyway. Not
 * known after less than a minute and a half.
 */
export function rises(samples: readonly Sample[]): boolean {
  const settled = getSettled(samples);
  const [first, last] = [settled[0], settled.at(-1)];
  if (first === undefined || last === undefined) return false;
  const minutes = (last.at - first.at) / 60_000;
  if (minutes < SHORTEST_MINUTES) return false;
  const usual = median(settled.map(({ mb }) => mb));
  return getSlope(samples) * minutes > Math.max(NOISE_MB, usual * NOISE_PART);
}
