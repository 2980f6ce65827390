import { evaluate, revalidateLogic, useForm, useSelector } from '@tanstack/react-form';
import type { StandardSchemaV1Issue } from '@tanstack/react-form';
import { useEffect, useRef, useState } from 'react';
import type { RefObject, SyntheticEvent } from 'react';
import { flushSync } from 'react-dom';
import type { Failure } from '#contract/errors.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { Result } from '#contract/result.ts';
import { focusFirstError } from './form-errors.ts';
import type { FormErrors } from './form-errors.ts';
import type { FormSchema } from './form-schema.ts';

/** Why the server refused a form: errors by path, and a message about the whole form. */
export interface FormRefusal {
  readonly errors: FormErrors;
  readonly above: string | null;
}

export interface DraftFormOptions<F, V, T> {
  readonly initial: F;
  readonly offline?: boolean;
  readonly schema: FormSchema<F, V>;
  readonly submit: (value: V, form: F) => Promise<Result<T>>;
  /** Returns what a refusal says, if it is not only about the whole form. */
  readonly explain?: (failure: Failure) => FormRefusal;
  /** `answer`: what `submit` returned. `form`: the fields by now. */
  readonly onSaved?: (answer: T, value: V, form: F) => void;
}

/**
 * A form with a save button. `errors` and `error`, about the whole form, are empty until the first
 * attempt to save. `dirty`: leaving would lose changes. The element of `headingRef` gets the initial
 * focus.
 */
export interface DraftForm<F, V> {
  readonly form: F;
  readonly change: (next: Partial<F>) => void;
  readonly errors: FormErrors;
  readonly error: string | null;
  readonly busy: boolean;
  readonly dirty: boolean;
  readonly formRef: RefObject<HTMLFormElement | null>;
  readonly headingRef: RefObject<HTMLHeadingElement | null>;
  readonly save: (event?: SyntheticEvent) => Promise<void>;
  /** Returns the value to submit, or null and shows the errors. */
  readonly check: () => V | null;
  /** Shows why another call about the same fields was refused; null: no longer. */
  readonly refuse: (refusal: FormRefusal | null) => void;
  /** Replaces the fields. Without `next`, by those that were saved last. */
  readonly reset: (next?: F) => void;
}

/** The state of a form, on TanStack Form. Every form but those of the sign-in has it. */
export function useDraftForm<F extends object, V, T>({
  initial,
  offline = false,
  schema,
  submit,
  explain = explainAbove,
  onSaved,
}: DraftFormOptions<F, V, T>): DraftForm<F, V> {
  const [defaultValues] = useState(initial);
  const [saved, setSaved] = useState(initial);
  const formRef = useRef<HTMLFormElement>(null);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const answered = useRef<{ readonly answer: T; readonly value: V } | null>(null);

  const api = useForm({
    defaultValues,
    // Nothing is marked before the first attempt; then each change is checked.
    validationLogic: revalidateLogic(),
    canSubmitWhenInvalid: true,
    validators: {
      onDynamic: ({ formApi }) => formApi.parseValuesWithSchema(schema)?.form,
      onSubmitAsync: ({ value }) => send(value),
    },
    onSubmitInvalid: () => focusFirstError(formRef.current),
    onSubmit({ value }) {
      flushSync(() => setSaved(value)); // the page must not ask about saved changes
      if (answered.current) onSaved?.(answered.current.answer, answered.current.value, value);
    },
  });
  const form = useSelector(api.store, ({ values }) => values);
  const busy = useSelector(api.store, ({ isSubmitting }) => isSubmitting);
  const found = useSelector(api.store, ({ errorMap }) => errorMap.onDynamic);
  const refusal = useSelector(api.store, ({ errorMap }) => errorMap.onSubmit);

  useEffect(() => {
    headingRef.current?.focus();
  }, []);

  /** Returns why the form was not saved; undefined after success. */
  async function send(values: F): Promise<FormRefusal | undefined> {
    if (offline) return { errors: {}, above: BASE.needsNetwork };
    const value = read(schema, values);
    if (value === null) return undefined;
    try {
      const result = await submit(value, values);
      if (!result.ok) return explain(result.failure);
      answered.current = { answer: result.value, value };
      return undefined;
    } catch (error) {
      globalThis.reportError?.(error);
      return { errors: {}, above: BASE.badRequest };
    }
  }

  // What was refused says more than what is missing since, if the form emptied the field.
  const errors = { ...getErrors(found), ...refusal?.errors };
  const { '': own, ...fields } = errors;
  return {
    form,
    errors: fields,
    error: own ?? refusal?.above ?? null,
    busy,
    dirty: !busy && !evaluate(form, saved),
    formRef,
    headingRef,
    change(next) {
      for (const [name, value] of Object.entries(next) as [keyof F & string, never][])
        api.setFieldValue(name, value, { dontUpdateMeta: true, dontValidate: true });
      api.setErrorMap({ onSubmit: undefined });
      api.validateSync(found === undefined ? 'change' : 'submit');
    },
    async save(event) {
      event?.preventDefault();
      if (!api.state.isSubmitting) await api.handleSubmit();
    },
    check() {
      api.validateSync('submit');
      const value = read(schema, api.state.values);
      if (value === null) focusFirstError(formRef.current);
      return value;
    },
    refuse(next) {
      api.setErrorMap({ onSubmit: next ?? undefined });
      if (next !== null) focusFirstError(formRef.current);
    },
    reset(next = saved) {
      setSaved(next);
      api.reset(next, { keepDefaultValues: true });
    },
  };
}

function read<F, V>(schema: FormSchema<F, V>, form: F): V | null {
  const result = schema['~standard'].validate(form);
  if (result instanceof Promise) throw new Error('A form is checked at once.');
  return result.issues ? null : result.value;
}

const explainAbove = (failure: Failure): FormRefusal => ({
  errors: {},
  above:
    (failure.kind === 'bad-input' &&
      failure.issues.find(({ message }) => message !== '')?.message) ||
    failure.message,
});

/** Returns the first message of each path. */
function getErrors(
  found: Readonly<Record<string, readonly StandardSchemaV1Issue[]>> | undefined,
): FormErrors {
  const errors: Record<string, string> = {};
  for (const { path = [], message } of Object.values(found ?? {}).flat())
    errors[path.map(String).join('.')] ??= message;
  return errors;
}
