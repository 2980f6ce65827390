import type { HintFields } from '#contract/hints/hints.ts';
import { HintSchema } from '#contract/hints/hints.ts';
import { hintAsksSomething, hintTells } from '#contract/hints/hints.ts';
import { MESSAGES } from '#contract/messages.ts';
import { PROBLEM_KINDS, SOURCES } from '#contract/runs/vocabulary.ts';
import type { ProblemKind, Source } from '#contract/runs/vocabulary.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { hintMessages as t } from './messages.en.ts';

/** A hint as typed. `steps`: one per line. */
export interface HintForm {
  readonly name: string;
  readonly text: string;
  readonly kinds: readonly ProblemKind[];
  readonly sources: readonly Source[];
  readonly summary: string;
  readonly steps: string;
  readonly links: readonly LinkForm[];
  readonly inside: boolean;
}
export interface LinkForm {
  readonly name: string;
  readonly address: string;
}
export type HintFormErrors = Readonly<
  Partial<Record<'name' | 'when' | 'summary' | 'steps' | `link${number}`, string>>
>;

export const EMPTY_HINT: HintForm = {
  name: '',
  text: '',
  kinds: [],
  sources: [],
  summary: '',
  steps: '',
  links: [],
  inside: false,
};

export const getHintForm = ({
  name,
  when,
  summary,
  steps,
  links,
  inside,
}: HintFields): HintForm => ({
  name,
  text: when.text,
  kinds: when.kinds,
  sources: when.sources,
  summary,
  steps: steps.join('\n'),
  links,
  inside,
});

/** Parses the address: an open hint, or a new one with its initial values. */
export function hintsPlace(search: string): {
  readonly open: string | null;
  readonly find: string;
  readonly initial: HintForm;
} {
  const query = new URLSearchParams(search);
  const said = (name: string): string => (query.get(name) ?? '').slice(0, 200);
  const kind = PROBLEM_KINDS.find((one) => one === said('kind'));
  const source = SOURCES.find((one) => one === said('source'));
  return {
    open: query.get('hint'),
    find: said('q'),
    initial: {
      ...EMPTY_HINT,
      name: said('name'),
      text: said('text'),
      kinds: kind ? [kind] : [],
      sources: source ? [source] : [],
    },
  };
}

const STEPS = 20;
const STEP_CHARS = 500;

/** Returns the typed hint, or the errors by field if it is invalid. */
export function getHint(form: HintForm): {
  readonly hint: HintFields | null;
  readonly errors: HintFormErrors;
} {
  const errors: Partial<Record<keyof HintFormErrors, string>> = {};
  const steps = form.steps
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const links = form.links
    .map(({ name, address }) => ({ name: name.trim(), address: address.trim() }))
    .filter(({ name, address }) => name !== '' || address !== '');
  const hint: HintFields = {
    name: form.name.trim(),
    when: { text: form.text.trim(), kinds: [...form.kinds], sources: [...form.sources] },
    summary: form.summary.trim(),
    steps,
    links,
    inside: form.inside,
  };
  if (hint.name === '') errors.name = t.nameMissing;
  if (!hintAsksSomething(hint.when)) errors.when = MESSAGES.hintAsksNothing;
  if (!hintTells(hint)) errors.summary = MESSAGES.hintTellsNothing;
  if (steps.length > STEPS) errors.steps = t.tooManySteps({ max: STEPS });
  else if (steps.some((step) => step.length > STEP_CHARS))
    errors.steps = t.stepTooLong({ max: STEP_CHARS });
  form.links.forEach(({ name, address }, i) => {
    if (name.trim() === '' && address.trim() === '') return;
    if (!/^https?:\/\/\S+$/i.test(address.trim()) || !URL.canParse(address.trim()))
      errors[`link${i}`] = t.addressInvalid;
    else if (name.trim() === '') errors[`link${i}`] = t.linkNameMissing;
  });
  return { hint: Object.keys(errors).length > 0 ? null : hint, errors };
}

export const hintFormSchema = makeFormSchema(HintSchema, (form: HintForm) => {
  const { hint: value, errors } = getHint(form);
  return { value, errors };
});
