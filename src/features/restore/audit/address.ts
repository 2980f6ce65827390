import type { InputOf, OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { dayAt, getTimes, spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';

export const AUDIT_PATH = '/o365/restore/audit';

export type AuditFilterAction = OutputOf<'listRestoreAudit'>['rows'][number]['action'];
/** The kinds of actions, in the order of the filter. */
export const ACTIONS = Object.keys({
  session: 0,
  list: 0,
  search: 0,
  size: 0,
  preview: 0,
  compare: 0,
  restore: 0,
  download: 0,
  role: 0,
  rights: 0,
  import: 0,
} satisfies Record<AuditFilterAction, 0>) as unknown as readonly AuditFilterAction[];

/** State in the address of the audit. */
export interface AuditPlace {
  readonly span: Span;
  readonly organization: string | null;
  readonly action: AuditFilterAction | null;
  readonly user: string | null;
  readonly session: string | null;
}

export const AUDIT_DEFAULTS: AuditPlace = {
  span: { kind: 'last', days: 30 },
  organization: null,
  action: null,
  user: null,
  session: null,
};

/** Parses any query. Invalid values fall back to their defaults. */
export function auditPlace(query: string): AuditPlace {
  const params = new URLSearchParams(query);
  const id = (name: string): string | null => {
    const text = params.get(name) ?? '';
    return /^[\da-f-]{36}$/.test(text) ? text : null;
  };
  return {
    span: spanOfKey(params.get('date') ?? '') ?? AUDIT_DEFAULTS.span,
    organization: id('organization'),
    action: ACTIONS.find((action) => action === params.get('action')) ?? null,
    user: id('user'),
    session: id('session'),
  };
}

/** Default values are left out. */
export function auditAddress({ span, ...filters }: AuditPlace): string {
  const params = new URLSearchParams();
  if (spanKey(span) !== spanKey(AUDIT_DEFAULTS.span)) params.set('date', spanKey(span));
  for (const [name, value] of Object.entries(filters)) if (value !== null) params.set(name, value);
  const query = params.toString();
  return query === '' ? AUDIT_PATH : `${AUDIT_PATH}?${query}`;
}

/** Returns the server query of the list, also for its export. */
export function auditQuery(
  { span, organization, action, user, session }: AuditPlace,
  now: Ms,
  rule: DayRule,
): InputOf<'exportRestoreAudit'> {
  const { from, to } = getTimes(span, dayAt(now, rule), rule);
  return {
    from: String(from),
    to: String(to),
    ...(organization !== null && { organizationId: organization }),
    ...(action !== null && { action }),
    ...(user !== null && { userId: user }),
    ...(session !== null && { sessionId: session }),
  };
}
