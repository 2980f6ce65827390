import type { StandardSchemaV1 } from '@tanstack/react-form';
import type { GenericSchema, InferInput } from 'valibot';
import { findFormErrors } from './form-errors.ts';
import type { ErrorLabels, FormErrors } from './form-errors.ts';

/** Reads what was typed, of type `F`, as the value to submit, or says what is wrong. */
export type FormSchema<F, V> = StandardSchemaV1<F, V>;

/** What a form reads from its fields. */
export interface FormReading<V> {
  /** Null if the fields cannot be read. */
  readonly value: V | null;
  /** Errors that the contract's schema cannot find, by path. */
  readonly errors?: Readonly<Partial<Record<string, string | null>>>;
}

/** Returns the schema of a form that `read` checks as a whole. */
export const makeReadingSchema = <F, V>(read: (form: F) => FormReading<V>): FormSchema<F, V> => ({
  '~standard': {
    version: 1,
    vendor: 'daybook',
    validate(form) {
      const { value, errors = {} } = read(form as F);
      const issues = Object.entries(getFound(errors)).map(([path, message]) => ({
        message,
        path: path === '' ? [] : path.split('.'),
      }));
      return issues.length > 0 || value === null ? { issues } : { value };
    },
  },
});

/**
 * Returns the schema of a form: `read` turns the fields into an input of a call, and `input`, the
 * contract's schema, checks it. `labels`: the form's own messages by path. Without them, an issue
 * that only the contract finds is about the whole form.
 */
export const makeFormSchema = <F, S extends GenericSchema>(
  input: S,
  read: (form: F) => FormReading<InferInput<S>>,
  labels?: ErrorLabels,
): FormSchema<F, InferInput<S>> =>
  makeReadingSchema((form: F) => {
    const { value, errors = {} } = read(form);
    if (value === null) return { value, errors };
    const found = findFormErrors(input, value, labels ?? {});
    const own = getFound(errors);
    if (labels) return { value, errors: { ...found, ...own } };
    return { value, errors: Object.keys(own).length > 0 ? own : gather(found) };
  });

/** Returns the errors that there are. */
const getFound = (errors: NonNullable<FormReading<unknown>['errors']>): FormErrors =>
  Object.fromEntries(
    Object.entries(errors).filter((one): one is [string, string] => typeof one[1] === 'string'),
  );

/** Returns the first error as one about the whole form. */
const gather = (errors: FormErrors): FormErrors => {
  const [first] = Object.values(errors);
  return first === undefined ? {} : { '': first };
};
