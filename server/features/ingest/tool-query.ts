import type { Issue } from '#contract/errors.ts';
import { isTimeZone } from '#contract/time/day.ts';
import { LIMITS } from '#contract/limits.ts';
import type { JobSchedule } from '#contract/runs/rows.ts';
import { lineOfText, storable } from '#contract/stored-text.ts';
import { findScheduleError } from './schedule-error.ts';
import type { ToolQuery } from './tools/tool-output.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';

/**
 * Reads `job, host, exit, tz, every, cron, grace` of an address. `every` and `grace` are in
 * seconds, or like `90m`, `24h`, `7d`.
 */
export function readToolQuery(
  params: URLSearchParams,
): ToolQuery | { readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const error = (path: string, message: string): null => {
    issues.push({ path, message });
    return null;
  };
  const name = (path: string): string | null => {
    const value = lineOfText(params.get(path) ?? '').trim();
    return value === ''
      ? null
      : value.length > LIMITS.nameChars
        ? error(path, t.tooLong({ max: LIMITS.nameChars }))
        : value;
  };
  const exitText = params.get('exit');
  const exit =
    exitText === null || exitText === ''
      ? null
      : /^\d{1,3}$/.test(exitText) && Number(exitText) <= 255
        ? Number(exitText)
        : error('exit', t.exitCode);
  // An unescaped plus sign was decoded as a space.
  const tzText =
    params
      .get('tz')
      ?.replace(/^ (?=\d\d:?\d\d$)/, '+')
      .trim() ?? '';
  const tz =
    tzText === ''
      ? null
      : /^[+-]\d\d:?\d\d$/.test(tzText) || isTimeZone(tzText)
        ? tzText
        : error('tz', t.timeZone);
  const length = (path: string): number | null => {
    const text = params.get(path);
    if (text === null || text === '') return null;
    const match = /^(\d{1,9})([smhd]?)$/.exec(text);
    return match ? Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1) : error(path, t.duration);
  };
  const every = length('every');
  const graceSec = length('grace');
  const cron = params.get('cron');
  const schedule: JobSchedule | null =
    cron !== null && cron !== ''
      ? {
          type: 'cron',
          cron: storable(cron).replaceAll('+', ' ').slice(0, 100),
          tz: tz === null || /^[+-]/.test(tz) ? 'UTC' : tz,
        }
      : every !== null
        ? { type: 'every', everySec: every }
        : null;
  const wrong = schedule === null ? null : findScheduleError(schedule);
  if (wrong !== null) error(schedule?.type === 'cron' ? 'cron' : 'every', wrong);
  const query = { job: name('job'), host: name('host'), exit, tz, schedule, graceSec };
  return issues.length > 0 ? { issues } : query;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, 's': 1, 'm': 60, 'h': 3_600, 'd': 86_400 };
