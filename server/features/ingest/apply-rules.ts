import type { Actor, Event } from '#contract/events.ts';
import type { JobN, Ms, ProblemN, RunN, UserId } from '#contract/ids.ts';
import type { JobRow, ProblemRow, RunRow } from '#contract/runs/rows.ts';
import {
  type RULE_ACTIONS,
  type RuleResult,
  type RuleRow,
  sets,
  SETTLED,
  type Settled,
  isRuleActiveAt,
} from '#contract/rules/rules.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import type { EventMeta } from '../../platform/db/store.ts';
import type { Folded } from '../../platform/events/folding.ts';
import { type DecidedResults, type DecisionState, makeDeciding } from './decision-state.ts';
import type { Ready } from '../rules/active-rules.ts';

/** A result that a rule reports to users by email. */
export interface RuleNotice {
  readonly rule: RuleRow;
  readonly users: readonly UserId[];
  readonly job: JobRow;
  readonly run: RunRow;
  readonly problem: ProblemRow;
}
export interface Acted {
  readonly decided: DecidedResults;
  readonly notices: readonly RuleNotice[];
}

/**
 * RULES-3: returns what the rules do about newly decided results. `before` is the state after their
 * events. Every result is checked against the rules in order; a lower rule does not set what a
 * higher one has set.
 */
export function applyRules(
  before: DecisionState,
  rules: readonly Ready[],
  events: Folded['events'],
  at: Ms,
): Acted {
  const rows = makeDeciding(before, byActor({ kind: 'clock' }, at));
  const notices: RuleNotice[] = [];
  const results = getResults(events, before);
  const now = rules.filter(({ rule }) => isRuleActiveAt(rule, at));
  for (const { job, run, problem: n, streak } of results) {
    const first = rows.problem.get(n);
    const cause = first && rows.cause.get(first.cause);
    if (!first || first.closedAt !== null) continue;
    const say = (actor: Actor, event: Event): void => {
      rows.emit(job.company, `problem:${n}`, event, byActor(actor, at));
    };
    const result: RuleResult = {
      source: job.source,
      type: job.type,
      state: first.state,
      company: job.company,
      job: job.name,
      computer: job.computer,
      durationSec: run.durationSec,
      bytes: run.bytes,
      streak,
      startedAt: run.startedAt,
      texts: [run.message, cause?.template ?? null].flatMap((text) => text ?? []),
    };
    const matching = now.filter(({ matches }) => matches(result)).map(({ rule }) => rule);
    const upper = new Map<Settled, RuleRow>();
    for (const what of SETTLED) {
      const rule = matching.find(({ does }) => sets(does, what));
      if (rule) upper.set(what, rule);
    }
    const excepting = upper.get('exception');
    // Only the newest result decides whether the problem matches an exception.
    if (first.lastRun === run.n) {
      if (excepting && !first.exception && !first.unexcused)
        say(byRule(excepting), {
          type: 'problem.excepted@1',
          data: { problem: n, rule: excepting.id, name: excepting.name },
        });
      else if (!excepting && first.exception)
        say({ kind: 'clock' }, { type: 'problem.unexcepted@1', data: { problem: n } });
    }
    for (const rule of matching) {
      const problem = rows.problem.get(n) ?? first;
      if (problem.ruled?.some((one) => one.rule === rule.id)) continue;
      const { does } = rule;
      const did: (typeof RULE_ACTIONS)[number][] = [];
      const actor = byRule(rule);
      if (
        does.snoozeHours !== null &&
        upper.get('snoozeHours') === rule &&
        problem.snooze === null
      ) {
        did.push('snoozed');
        say(actor, {
          type: 'problem.snoozed@1',
          data: { problems: [n], until: at + does.snoozeHours * HOUR_MS, reason: 'By a rule' },
        });
      }
      if (does.note !== null && upper.get('note') === rule && problem.note === null) {
        did.push('noted');
        say(actor, { type: 'problem.noted@1', data: { problems: [n], content: does.note } });
      }
      if (does.ticket !== null && upper.get('ticket') === rule && problem.ticket === null) {
        did.push('ticketLinked');
        say(actor, { type: 'problem.ticketSet@1', data: { problems: [n], ticket: does.ticket } });
      }
      if (does.notify.length > 0) {
        did.push('notified');
        notices.push({ rule, users: does.notify, job, run, problem });
      }
      if (does.hint !== null) did.push('hinted');
      if (did.length > 0)
        say(actor, {
          type: 'problem.ruleApplied@1',
          data: { problem: n, rule: rule.id, name: rule.name, did, hint: does.hint },
        });
    }
  }
  return { decided: rows.decided(), notices };
}

const byActor = (actor: Actor, at: Ms): EventMeta => ({
  actor,
  subject: null,
  commandId: null,
  at,
});
const byRule = ({ id, name }: RuleRow): Actor => ({ kind: 'rule', id, name });

interface DecidedResult {
  readonly job: JobRow;
  readonly run: RunRow;
  readonly problem: ProblemN;
  readonly streak: number;
}

/**
 * Returns the results with a problem, in order. `streak` is the value at that result, without later
 * results of the same decision.
 */
function getResults(events: Folded['events'], rows: DecisionState): DecidedResult[] {
  const found: DecidedResult[] = [];
  const later = new Map<ProblemN, number>();
  for (const { event } of events.toReversed()) {
    if (event.type !== 'run.finished@1' && event.type !== 'run.missed@1') continue;
    const { job: j, n, problem } = event.data;
    const one = problem === null ? null : decidedAt(rows, j, n, problem);
    if (problem === null || one === null) continue;
    const after = later.get(problem) ?? 0;
    found.push({ ...one, problem, streak: Math.max(1, one.runs - after) });
    if (!('corrects' in event.data) || event.data.corrects?.problem !== problem)
      later.set(problem, after + 1);
  }
  return found.toReversed();
}

function decidedAt(
  rows: DecisionState,
  j: JobN,
  n: RunN,
  p: ProblemN,
): { readonly job: JobRow; readonly run: RunRow; readonly runs: number } | null {
  const job = rows.job.get(j);
  const run = rows.run.get(n);
  const problem = rows.problem.get(p);
  return job && run && problem ? { job, run, runs: problem.runs } : null;
}
