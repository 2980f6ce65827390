import type { GenericSchema } from 'valibot';
import * as v from 'valibot';
import type { Failure } from '#contract/errors.ts';

/** Errors of a form's fields by dotted path; an empty path is the whole form. */
export type FormErrors = Readonly<Record<string, string>>;
/**
 * The form's own messages by path, with `*` for any number in it. Null: the field shows the message
 * of the issue.
 */
export type ErrorLabels = Readonly<Record<string, string | null>>;

/** Validates an input with the call's schema before it is sent. Returns the errors by path. */
export function findFormErrors(
  takes: GenericSchema,
  input: unknown,
  words: ErrorLabels,
): FormErrors {
  const checked = v.safeParse(takes, input);
  return checked.success
    ? {}
    : worded(
        checked.issues.map((issue) => ({
          path: v.getDotPath(issue) ?? '',
          message: issue.message,
        })),
        words,
      );
}

/**
 * Assigns the issues of a server refusal to the form's fields. Issues without a field belong to the
 * whole form.
 */
export function readServerErrors(
  failure: Failure,
  words: ErrorLabels,
): { readonly errors: FormErrors; readonly above: string | null } {
  if (failure.kind !== 'bad-input') return { errors: {}, above: failure.message };
  const errors = worded(
    failure.issues.filter(({ path }) => getWord(path, words) !== undefined),
    words,
  );
  const [strange] = failure.issues.filter(({ path }) => getWord(path, words) === undefined);
  return {
    errors,
    above: strange
      ? `${failure.message} ${strange.message}`.trim()
      : Object.keys(errors).length > 0
        ? null
        : failure.message,
  };
}

function worded(
  issues: readonly { readonly path: string; readonly message: string }[],
  words: ErrorLabels,
): FormErrors {
  const errors: Record<string, string> = {};
  for (const { path, message } of issues) errors[path] ??= getWord(path, words) ?? message;
  return errors;
}

/** Returns the message of the path, or of its nearest parent. */
function getWord(path: string, words: ErrorLabels): string | null | undefined {
  const parts = path.split('.').map((part) => (/^\d+$/.test(part) ? '*' : part));
  for (let count = parts.length; count > 0; count -= 1) {
    const word = words[parts.slice(0, count).join('.')];
    if (word !== undefined) return word;
  }
  return undefined;
}

/**
 * Focuses the first invalid field in page order, as soon as it is marked invalid. If none is, shows
 * the message about the whole form.
 */
export function focusFirstError(form: HTMLElement | null, frames = 20): void {
  requestAnimationFrame(() => {
    const wrong = form?.querySelector<HTMLElement>(
      '[aria-invalid="true"], [data-error] input, [data-error] button',
    );
    if (wrong) {
      wrong.focus();
      wrong.scrollIntoView({ block: 'center' });
    } else if (frames > 0) focusFirstError(form, frames - 1);
    else showFormError(form);
  });
}

/**
 * Scrolls to the message about a whole form. A refusal for the same reason as before changes nothing
 * in the page, so the message is inserted again: else screen readers would not announce it.
 */
function showFormError(form: HTMLElement | null): void {
  const alert = form?.querySelector('[role="alert"]');
  if (!alert) return;
  const message = alert.textContent;
  if (announced.get(alert) === message) alert.replaceChildren(...alert.childNodes);
  announced.set(alert, message);
  alert.scrollIntoView({ block: 'nearest' });
}
/** The message that was last shown in each element. */
const announced = new WeakMap<Element, string>();
