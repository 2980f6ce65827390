import type { InputOf } from '#contract/calls.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { importServerMessages as t } from './messages.en.ts';

export type ServerInput = InputOf<'testServer'>;

/** A server as typed. `certificate`: empty for one that a public authority signed. */
export interface ImportServerForm {
  readonly address: string;
  readonly username: string;
  readonly password: string;
  readonly certificate: string;
}

export const EMPTY_SERVER: ImportServerForm = {
  address: '',
  username: '',
  password: '',
  certificate: '',
};

export function readServerForm({ address, username, password, certificate }: ImportServerForm) {
  const typed = address.trim();
  const isAddress = /^https?:\/\/[^\s@?#]+$/i.test(typed) && URL.canParse(typed);
  const errors = {
    ...(typed === '' ? { address: t.addressMissing } : !isAddress && { address: t.addressInvalid }),
    ...(username.trim() === '' && { username: t.usernameMissing }),
    ...(password === '' && { password: t.passwordMissing }),
  };
  const value: ServerInput | null = isAddress
    ? {
        apiUrl: typed,
        username: username.trim(),
        password,
        certificate: certificate.trim() === '' ? null : certificate,
      }
    : null;
  return { value, errors };
}

export const SERVER_SCHEMA = makeReadingSchema(readServerForm);
