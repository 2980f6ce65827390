import { LIMITS } from '#contract/limits.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** A new encryption password of a repository, and the hint to it. */
export interface PasswordFields {
  readonly password: string;
  readonly repeatPassword: string;
  readonly passwordDescription: string;
}
export type PasswordErrors = Readonly<Partial<Record<keyof PasswordFields, string>>>;

/** Returns what is wrong with a new password, by field. */
export function findPasswordErrors({
  password,
  repeatPassword,
  passwordDescription,
}: PasswordFields): PasswordErrors {
  const min = LIMITS.minPasswordCharsWithFactor;
  return {
    ...(password.length < min && { password: t.passwordShort({ count: min }) }),
    ...(password !== repeatPassword && { repeatPassword: t.passwordsDiffer }),
    ...(password !== '' &&
      passwordDescription.toLowerCase().includes(password.toLowerCase()) && {
        passwordDescription: t.hintHasPassword,
      }),
  };
}
