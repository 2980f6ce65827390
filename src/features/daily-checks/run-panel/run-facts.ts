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
import { runPanelMessages as t } from './messages.en.ts';

export interface RunFact {
  readonly label: string;
  readonly value: string;
  readonly tip?: string;
  readonly isWide?: true;
}

/** PANEL-7: details that only some tools report. Missing ones are left out. */
export function reportedFacts(
  { level, scheduledFor, startTime, status, errorCount, warningCount }: Execution,
  zone: string,
): readonly RunFact[] {
  return [
    ...(level === null ? [] : [{ label: t.level, value: LEVEL_WORDS[level] }]),
    ...(errorCount === null ? [] : [{ label: t.errors, value: formatCount(errorCount) }]),
    ...(warningCount === null ? [] : [{ label: t.warnings, value: formatCount(warningCount) }]),
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

/** A start within the same minute counts as on time. */
const MIN_DELAY_SEC = 60;

function scheduledFact(due: number, startedAt: number | null, zone: string): RunFact {
  const isSameDay = startedAt !== null && formatDate(due, zone) === formatDate(startedAt, zone);
  const delaySec = startedAt === null ? 0 : Math.floor((startedAt - due) / 1000);
  const time = isSameDay ? formatTime(due, zone) : formatWhen(due, zone);
  return {
    label: t.scheduledFor,
    value:
      delaySec >= MIN_DELAY_SEC ? t.startedLate({ time, delay: formatDuration(delaySec) }) : time,
    tip: formatUtc(due),
    isWide: true,
  };
}

const LEVEL_WORDS: Readonly<Record<RunLevel, string>> = {
  Full: t.full,
  Incremental: t.incremental,
  Differential: t.differential,
  VirtualFull: t.virtualFull,
  Base: t.base,
};
