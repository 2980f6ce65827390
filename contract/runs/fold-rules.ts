import type { EventOf, Logged } from '../events.ts';
import type { Rows } from '../fold.ts';
import type { UserId } from '../ids.ts';
import { authorMessages as t } from './author.messages.en.ts';

type OfRules = EventOf<
  | 'problem.excepted@1'
  | 'problem.unexcepted@1'
  | 'problem.ruleApplied@1'
  | 'rule.created@1'
  | 'rule.updated@1'
  | 'rule.deleted@1'
  | 'rules.ordered@1'
>;

const BY_RULE = 'rule:';
/** The author of a note or snooze that a rule created, with the rule's name at that time. */
const getRuleActor = (name: string): string => `${BY_RULE}${name}`;
/** Returns the author of an event, as rows name it: a user, the clock, or a rule. */
export const getPerson = ({ subject, actor }: Logged): UserId =>
  subject ??
  ((actor.kind === 'clock'
    ? 'clock'
    : actor.kind === 'rule'
      ? getRuleActor(actor.name)
      : actor.id) as UserId);
/** Returns "Rule “Known warnings”" if the author is a rule, otherwise null. */
export const getRuleName = (by: UserId): string | null =>
  by.startsWith(BY_RULE) ? t.rule({ rule: by.slice(BY_RULE.length) }) : null;

/** Folds events of rules, and of their actions on problems (RULES-2). */
export function foldRules(rows: Rows, { at, actor, subject }: Logged, event: OfRules): void {
  switch (event.type) {
    case 'rule.created@1': {
      const madeBy = subject ?? (actor.kind === 'clock' ? 'clock' : actor.id);
      rows.rule?.set(event.data.id, { ...event.data, madeBy, changedAt: at, removedAt: null });
      return;
    }
    case 'rule.updated@1': {
      const rule = rows.rule?.get(event.data.id);
      if (rule) rows.rule?.set(rule.id, { ...rule, ...event.data, changedAt: at });
      return;
    }
    case 'rule.deleted@1': {
      const rule = rows.rule?.get(event.data.id);
      if (rule) rows.rule?.set(rule.id, { ...rule, removedAt: at });
      return;
    }
    case 'rules.ordered@1':
      event.data.ids.forEach((id, rank) => {
        const rule = rows.rule?.get(id);
        if (rule) rows.rule?.set(id, { ...rule, rank });
      });
      return;
    default: {
      const problem = rows.problem?.get(event.data.problem);
      if (!problem) return;
      if (event.type === 'problem.unexcepted@1')
        return rows.problem?.set(problem.n, { ...problem, exception: null });
      const { rule, name } = event.data;
      if (event.type === 'problem.excepted@1')
        rows.problem?.set(problem.n, { ...problem, exception: { rule, name, at } });
      else
        rows.problem?.set(problem.n, {
          ...problem,
          ruled: [...(problem.ruled ?? []), { rule, name, at, hint: event.data.hint }],
        });
    }
  }
}
