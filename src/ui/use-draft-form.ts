import { useEffect, useRef, useState } from 'react';
import type { FormEvent, RefObject } from 'react';
import { flushSync } from 'react-dom';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { focusFirstError } from './form-errors.ts';

/**
 * `read`: returns the parsed form, or its faults. `keep`: returns null on success, otherwise the
 * error message.
 */
interface How<F, V, T> {
  readonly begin: F;
  readonly offline: boolean;
  readonly read: (form: F) => { readonly value: V | null; readonly errors: T };
  readonly keep: (value: V) => Promise<string | null>;
  readonly onSaved: () => void;
}

/**
 * A form with a save button. Faults are shown after the first attempt to save. `dirty`: leaving
 * would lose changes. `head` gets the initial focus.
 */
export interface DraftForm<F, T> {
  readonly form: F;
  readonly change: (next: Partial<F>) => void;
  readonly errors: T | null;
  readonly error: string | null;
  readonly busy: boolean;
  readonly dirty: boolean;
  readonly place: RefObject<HTMLFormElement | null>;
  readonly head: RefObject<HTMLHeadingElement | null>;
  readonly save: (event: FormEvent) => Promise<void>;
}

export function useDraftForm<F extends object, V, T>({
  begin,
  offline,
  read,
  keep,
  onSaved,
}: How<F, V, T>): DraftForm<F, T> {
  const [first] = useState(begin);
  const [form, setForm] = useState(first);
  const [shows, setShows] = useState(false);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const place = useRef<HTMLFormElement>(null);
  const head = useRef<HTMLHeadingElement>(null);
  const { value, errors } = read(form);

  useEffect(() => {
    head.current?.focus();
  }, []);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setShows(true);
    if (value === null) return focusFirstError(place.current);
    if (offline) return setError(BASE.needsNetwork);
    setBusy(true);
    const why = await keep(value);
    setBusy(false);
    if (why !== null) return setError(why);
    flushSync(() => setDone(true)); // the page must not ask about saved changes
    onSaved();
  }

  return {
    form,
    change: (next) => setForm((before) => ({ ...before, ...next })),
    errors: shows ? errors : null,
    error,
    busy,
    place,
    head,
    save,
    dirty: !done && !busy && JSON.stringify(form) !== JSON.stringify(first),
  };
}
