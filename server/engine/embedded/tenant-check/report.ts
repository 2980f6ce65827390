import type { Region } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { tenantCheckMessages as t } from './tenant-check.messages.en.ts';

/** What a finding is about. */
export type CheckedArea =
  | 'network'
  | 'cloud'
  | 'clock'
  | 'credential'
  | 'signIn'
  | 'permissions'
  | 'directory'
  | 'exchange'
  | 'sharepoint'
  | 'teams'
  | 'teamsChats'
  | 'restore'
  | 'limits';
type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** One line of the report. `permission`: the one of Graph that it is about. */
export interface Finding {
  readonly area: CheckedArea;
  readonly status: FindingStatus;
  readonly message: string;
  readonly permission?: string;
  readonly link?: string;
}

/** `unreachable`: Microsoft 365 didn't answer, so nothing else was checked. */
type CheckResult = 'ready' | 'notReady' | 'unreachable';

/** What the check found. Holds no secret, token or name of a person. */
export interface TenantReport {
  readonly version: 1;
  readonly checkedAt: Ms;
  readonly region: Region;
  readonly tenant: string;
  readonly applicationId: string;
  readonly result: CheckResult;
  /** How far the clock here is ahead of Microsoft's; null: unknown. */
  readonly clockAheadMs: Ms | null;
  /** Null: they could not be counted. */
  readonly users: { readonly total: number; readonly licensed: number } | null;
  readonly missingPermissions: readonly string[];
  readonly findings: readonly Finding[];
}

/** Exit codes of the command. 2, for a wrong command line, is the command's own. */
export const EXIT_CODES: Readonly<Record<CheckResult, number>> = {
  ready: 0,
  notReady: 1,
  unreachable: 3,
};

const count = (report: TenantReport, wanted: FindingStatus): number =>
  report.findings.filter(({ status }) => status === wanted).length;

const STATUS_WIDTH = 9;

/** Returns the report as lines for people. */
export function printReport(report: TenantReport): readonly string[] {
  const { tenant, region, applicationId: application, findings, result } = report;
  const lines = findings.flatMap(({ area, status, message, link }) => [
    `${t[status].padEnd(STATUS_WIDTH)}${t[area]}: ${message}`,
    ...(link === undefined ? [] : [t.open({ link })]),
  ]);
  return [t.title({ tenant, region, application }), '', ...lines, '', summarize(report, result)];
}

function summarize(report: TenantReport, result: CheckResult): string {
  if (result === 'unreachable') return t.unreachable;
  if (result === 'notReady') return t.notReady({ failures: count(report, 'failed') });
  const warnings = count(report, 'warning');
  return warnings === 0 ? t.ready : t.readyWithWarnings({ warnings });
}
