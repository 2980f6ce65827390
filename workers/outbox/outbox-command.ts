import * as v from 'valibot';
import type { OfflineCall, ParsedInputOf } from '#contract/calls.ts';
import { CALLS } from '#contract/calls.ts';
import type { RunN } from '#contract/ids.ts';
import { getChanges } from '#contract/runs/change.ts';
import type { Change } from '#contract/runs/change.ts';
import type { QueuedCommand } from '#workers/types.ts';
import { outboxMessages as t } from './messages.en.ts';

/** The request in a stored command. */
export type OutboxCommand =
  | { readonly kind: 'change'; readonly runs: readonly RunN[]; readonly change: Change }
  | { readonly [N in OwnCall]: { readonly kind: N; readonly input: ParsedInputOf<N> } }[OwnCall];
type OwnCall = Exclude<OfflineCall, 'changeExecution' | 'changeExecutions'>;

/** Returns null if this version can't read it (then the server reports it). */
export function parseCommand({
  call,
  input,
}: Pick<QueuedCommand, 'call' | 'input'>): OutboxCommand | null {
  const name = call as OfflineCall;
  switch (name) {
    case 'changeExecution': {
      const one = v.safeParse(CALLS.changeExecution.input, input);
      return one.success ? getChange([one.output.id], one.output) : null;
    }
    case 'changeExecutions': {
      const many = v.safeParse(CALLS.changeExecutions.input, input);
      return many.success ? getChange(many.output.ids, many.output) : null;
    }
    case 'saveView':
      return read(name, CALLS.saveView.input, input);
    case 'removeView':
      return read(name, CALLS.removeView.input, input);
    case 'endShift':
      return read(name, CALLS.endShift.input, input);
    case 'prefer':
      return read(name, CALLS.prefer.input, input);
    case 'pinCompany':
      return read(name, CALLS.pinCompany.input, input);
    case 'enableBackupJob':
      return read(name, CALLS.enableBackupJob.input, input);
    case 'disableBackupJob':
      return read(name, CALLS.disableBackupJob.input, input);
    default:
      name satisfies never; // stored by another version
      return null;
  }
}

/** A device stores one change at a time. */
function getChange(
  runs: readonly RunN[],
  request: Parameters<typeof getChanges>[0],
): OutboxCommand | null {
  const [change, ...more] = getChanges(request);
  return change && more.length === 0 ? { kind: 'change', runs, change } : null;
}

function read<N extends OwnCall>(
  kind: N,
  schema: v.GenericSchema<unknown, ParsedInputOf<N>>,
  input: unknown,
): Extract<OutboxCommand, { kind: N }> | null {
  const taken = v.safeParse(schema, input);
  return taken.success
    ? ({ kind, input: taken.output } as Extract<OutboxCommand, { kind: N }>)
    : null;
}

export const getCommandRuns = (request: OutboxCommand | null): readonly RunN[] =>
  request?.kind === 'change' ? request.runs : [];

/** Describes the command in a few words. */
export function describeCommand(request: OutboxCommand | null): string {
  switch (request?.kind) {
    case undefined:
      return t.change;
    case 'change':
      return t[LABELS[request.change.kind]]({ count: request.runs.length });
    case 'saveView':
      return t.saveView({ name: request.input.name });
    case 'removeView':
      return t.removeView;
    case 'endShift':
      return t.endShift;
    case 'prefer':
      return t.prefer;
    case 'pinCompany':
      return request.input.pinned ? t.pinCompany : t.unpinCompany;
    case 'enableBackupJob':
      return t.enableBackupJob;
    case 'disableBackupJob':
      return t.disableBackupJob;
  }
}

const LABELS = {
  'review': 'review',
  'reopen': 'reopen',
  'note': 'note',
  'snooze': 'snooze',
  'unsnooze': 'unsnooze',
  'ticket': 'ticket',
  'not-anomaly': 'markNormal',
} as const satisfies Record<Change['kind'], keyof typeof t>;
