import type { Execution } from '#contract/runs/calls.ts';
import type { RunLevel } from '#contract/runs/vocabulary.ts';
import {
  formatCount,
  formatDate,
  formatDuration,
  formatTime,
  formatUtc,
  formatWhen,
} from '#src/ui/format.ts';

export interface RunFact {
  readonly word: string;
  readonly value: string;
  readonly tip?: string;
  readonly isWide?: true;
}

/**
 * PANEL-7: the details that only some tools report; nothing for those that this run does not have.
 */
export function reportedFacts(
  { level, scheduledFor, startTime, status, errorCount, warningCount }: Execution,
  zone: string,
): readonly RunFact[] {
  return [
    ...(level === null ? [] : [{ word: 'Level', value: LEVEL_WORDS[level] }]),
    ...(errorCount === null ? [] : [{ word: 'Errors', value: formatCount(errorCount) }]),
    ...(warningCount === null ? [] : [{ word: 'Warnings', value: formatCount(warningCount) }]),
    ...(scheduledFor === null
      ? []
      : [
          scheduledFact(
            Date.parse(scheduledFor),
            status === 'Missed' ? null : Date.parse(startTime),
            zone,
          ),
        ]),
  ];
}

/** A start within the same minute is on time. */
const LEAST_DELAY_SEC = 60;

function scheduledFact(due: number, startedAt: number | null, zone: string): RunFact {
  const isSameDay = startedAt !== null && formatDate(due, zone) === formatDate(startedAt, zone);
  const delaySec = startedAt === null ? 0 : Math.floor((startedAt - due) / 1000);
  const late = delaySec >= LEAST_DELAY_SEC ? `, started ${formatDuration(delaySec)} late` : '';
  return {
    word: 'Scheduled for',
    value: `${isSameDay ? formatTime(due, zone) : formatWhen(due, zone)}${late}`,
    tip: formatUtc(due),
    isWide: true,
  };
}

const LEVEL_WORDS: Readonly<Record<RunLevel, string>> = {
  Full: 'Full',
  Incremental: 'Incremental',
  Differential: 'Differential',
  VirtualFull: 'Virtual full',
  Base: 'Base',
};
