import type { GenericSchema } from 'valibot';
import * as v from 'valibot';
import type { Failure } from '#contract/errors.ts';

/** What is wrong with the fields of a form, by dotted path; an empty path is the whole. */
export type FormErrors = Readonly<Record<string, string>>;
/** The form's own words for its fields, by path, `*` for any number in it. */
export type ErrorLabels = Readonly<Record<string, string>>;

/** What a call would refuse of an input, told before it is sent. */
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
 * Where a refusal of the server belongs: beside the fields that it names and the form has, or above
 * them all.
 */
export function readServerErrors(
  failure: Failure,
  words: ErrorLabels,
): { readonly faults: FormErrors; readonly above: string | null } {
  if (failure.kind !== 'bad-input') return { faults: {}, above: failure.message };
  const faults = worded(
    failure.issues.filter(({ path }) => wordOf(path, words) !== undefined),
    words,
  );
  const [strange] = failure.issues.filter(({ path }) => wordOf(path, words) === undefined);
  return {
    faults,
    above: strange
      ? `${failure.message} ${strange.message}`.trim()
      : Object.keys(faults).length > 0
        ? null
        : failure.message,
  };
}

function worded(
  issues: readonly { readonly path: string; readonly message: string }[],
  words: ErrorLabels,
): FormErrors {
  const faults: Record<string, string> = {};
  for (const { path, message } of issues) faults[path] ??= wordOf(path, words) ?? message;
  return faults;
}

/** The words of the path itself, or of the nearest part above it. */
function wordOf(path: string, words: ErrorLabels): string | undefined {
  const parts = path.split('.').map((part) => (/^\d+$/.test(part) ? '*' : part));
  for (let count = parts.length; count > 0; count -= 1) {
    const word = words[parts.slice(0, count).join('.')];
    if (word !== undefined) return word;
  }
  return undefined;
}

/**
 * Puts the focus on the first field that is wrong, in the order of the page, as soon as the page
 * says which that is.
 */
export function focusFirstError(form: HTMLElement | null, frames = 20): void {
  requestAnimationFrame(() => {
    const wrong = form?.querySelector<HTMLElement>(
      '[aria-invalid="true"], [data-fault] input, [data-fault] button',
    );
    if (!wrong && frames > 0) {
      focusFirstError(form, frames - 1);
      return;
    }
    wrong?.focus();
    wrong?.scrollIntoView({ block: 'center' });
  });
}
