import { PROBLEM_STATES, SOURCES } from '#contract/runs/vocabulary.ts';
import { rulesAddress } from '../shared/page-links/rules.ts';
import { createRuleForm, type RuleForm } from './form.ts';
import { ruleMessages as t } from './messages.en.ts';

/** State in the address: an open rule, or a new one with its initial values. */
export interface RulesPlace {
  readonly open: string | null;
  readonly createForm: (zone: string) => RuleForm;
}

export function rulesPlace(search: string): RulesPlace {
  const query = new URLSearchParams(search);
  const said = (name: string): string => (query.get(name) ?? '').slice(0, 200);
  const state = PROBLEM_STATES.find((one) => one === said('state'));
  const source = SOURCES.find((one) => one === said('source'));
  const company = Number(said('company'));
  return {
    open: query.get('rule'),
    createForm: (zone) =>
      createRuleForm(zone, {
        name: said('name'),
        text: said('text'),
        job: said('job'),
        computer: said('computer'),
        states: state ? [state] : [],
        sources: source ? [source] : [],
        companies: Number.isInteger(company) && company > 0 ? [company] : [],
        exception: query.has('known'),
        note: said('note'),
        ticket: said('ticket'),
        streak: { min: said('streak').replaceAll(/\D/g, ''), max: '' },
      }),
  };
}

/** Example rules. */
export const EXAMPLES: readonly {
  readonly title: string;
  readonly detail: string;
  readonly to: string;
}[] = [
  {
    title: t.exampleWarnings,
    detail: t.exampleWarningsHint,
    to: rulesAddress('new', {
      name: t.exampleWarningsName,
      state: 'Warning',
      text: 'in use | locked',
      known: '1',
    }),
  },
  {
    title: t.exampleLaptops,
    detail: t.exampleLaptopsHint,
    to: rulesAddress('new', {
      name: t.exampleLaptopsName,
      state: 'Missed',
      computer: 'lap-*',
      known: '1',
    }),
  },
  {
    title: t.exampleStreak,
    detail: t.exampleStreakHint,
    to: rulesAddress('new', {
      name: t.exampleStreakName,
      state: 'Failed',
      streak: '3',
      note: t.exampleStreakNote,
    }),
  },
];
