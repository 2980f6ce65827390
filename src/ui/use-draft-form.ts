import { useEffect, useRef, useState } from 'react';
import type { FormEvent, RefObject } from 'react';
import { flushSync } from 'react-dom';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { focusFirstError } from './form-errors.ts';

interface Options<F, V, T> {
  readonly initial: F;
  readonly offline: boolean;
  /** Returns the value to submit, or null with the errors of the fields. */
  readonly validate: (form: F) => { readonly value: V | null; readonly errors: T };
  /** Returns null on success, otherwise the error message. */
  readonly submit: (value: V) => Promise<string | null>;
  readonly onSaved: () => void;
}

/**
 * A form with a save button. `errors` is null until the first attempt to save. `dirty`: leaving
 * would lose changes. The element of `headingRef` gets the initial focus.
 */
export interface DraftForm<F, T> {
  readonly form: F;
  readonly change: (next: Partial<F>) => void;
  readonly errors: T | null;
  readonly error: string | null;
  readonly busy: boolean;
  readonly dirty: boolean;
  readonly formRef: RefObject<HTMLFormElement | null>;
  readonly headingRef: RefObject<HTMLHeadingElement | null>;
  readonly save: (event: FormEvent) => Promise<void>;
}

export function useDraftForm<F extends object, V, T>({
  initial,
  offline,
  validate,
  submit,
  onSaved,
}: Options<F, V, T>): DraftForm<F, T> {
  const [first] = useState(initial);
  const [form, setForm] = useState(first);
  const [hasTried, setHasTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [isSaved, setIsSaved] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const formRef = useRef<HTMLFormElement>(null);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const { value, errors } = validate(form);

  useEffect(() => {
    headingRef.current?.focus();
  }, []);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setHasTried(true);
    if (value === null) return focusFirstError(formRef.current);
    if (offline) return setError(BASE.needsNetwork);
    setBusy(true);
    const failure = await submit(value);
    setBusy(false);
    if (failure !== null) return setError(failure);
    flushSync(() => setIsSaved(true)); // the page must not ask about saved changes
    onSaved();
  }

  return {
    form,
    change: (next) => setForm((before) => ({ ...before, ...next })),
    errors: hasTried ? errors : null,
    error,
    busy,
    formRef,
    headingRef,
    save,
    dirty: !isSaved && !busy && JSON.stringify(form) !== JSON.stringify(first),
  };
}
