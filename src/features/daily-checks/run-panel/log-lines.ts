/** A line of a job's log. `time`: its leading time of day, if it has one. */
export interface RunLogLine {
  readonly time: string | null;
  readonly text: string;
  readonly tone: 'error' | 'warning' | null;
}

/** Splits a log into lines and marks errors and warnings. */
export function logLines(log: string): readonly RunLogLine[] {
  return log
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, time, rest] =
        /^\[?(?:\d{4}-\d\d-\d\d[T ])?(\d\d:\d\d:\d\d)(?:[.,]\d+)?Z?\]?[\s:-]*(.*)$/.exec(line) ??
        [];
      const text = rest ?? line;
      return { time: time ?? null, text, tone: getTone(text) };
    });
}

function getTone(text: string): RunLogLine['tone'] {
  if (
    /\b(?:error|fatal|failed|failure|unable to|denied|refused|exception)\b/i.test(text) &&
    !/\b(?:0|no) errors?\b/i.test(text)
  )
    return 'error';
  return /\b(?:warn|warning|retry|retrying|skipped)\b/i.test(text) ? 'warning' : null;
}
