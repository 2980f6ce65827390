import type { InputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import {
  COLLECTOR_KINDS,
  type CollectorKind,
  OWNERS_OF,
  SIGN_INS_OF,
  type SignInMethod,
} from '#contract/connections/connection.ts';
import {
  collectorCalls,
  type ConnectionOut,
  type Credentials,
} from '#contract/connections/calls.ts';
import { type FormErrors, findFormErrors, type ErrorLabels } from '#src/ui/form-errors.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { connectionMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

/** A connection as typed. `companyN`: empty for none. An empty secret keeps the stored one. */
export interface ConnectionDraft {
  readonly kind: CollectorKind;
  readonly name: string;
  readonly address: string;
  readonly signIn: SignInMethod;
  readonly user: string;
  readonly secret: string;
  readonly companyN: CompanyN | null;
  readonly everySec: number;
  readonly enabled: boolean;
  readonly certificate: string;
}

export const CONNECTION_LABELS: Readonly<
  Record<
    CollectorKind,
    { readonly name: string; readonly detail: string; readonly address: string }
  >
> = {
  vspc: {
    name: t.vspc,
    detail: t.vspcHint,
    address: 'https://vspc.example.com:1280',
  },
  vbr: {
    name: t.vbr,
    detail: t.vbrHint,
    address: 'https://vbr.example.com:9419',
  },
  vb365: {
    name: t.vb365,
    detail: t.vb365Hint,
    address: 'https://vb365.example.com:4443',
  },
  zerto: {
    name: t.zerto,
    detail: t.zertoHint,
    address: 'https://zvm.example.com',
  },
};
export const KINDS = COLLECTOR_KINDS;

export const SIGN_IN_WORDS: Readonly<
  Record<SignInMethod, { readonly choice: string; readonly user: string; readonly secret: string }>
> = {
  key: { choice: t.apiKey, user: '', secret: t.apiKey },
  password: { choice: t.usernameAndPassword, user: t.username, secret: t.password },
  client: { choice: t.clientIdAndSecret, user: t.clientId, secret: t.clientSecret },
};

/** Poll intervals in seconds. */
export const EVERY: readonly (readonly [sec: number, word: string])[] = [
  [60, t.everyMinute],
  [300, t.every5Minutes],
  [900, t.every15Minutes],
  [1_800, t.every30Minutes],
  [3_600, t.everyHour],
  [14_400, t.every4Hours],
];
/** Adds the current interval if another program has set a different one. */
export const everyChoices = (now: number): readonly (readonly [sec: number, word: string])[] =>
  EVERY.some(([sec]) => sec === now)
    ? EVERY
    : [...EVERY, [now, t.everySeconds({ count: now })] as const].toSorted(([a], [b]) => a - b);

export const NEW: ConnectionDraft = {
  kind: 'vspc',
  name: '',
  address: '',
  signIn: 'key',
  user: '',
  secret: '',
  companyN: null,
  everySec: 300,
  enabled: true,
  certificate: '',
};

export const getConnectionDraft = ({
  kind,
  name,
  address,
  signIn,
  user,
  companyN,
  everySec,
  enabled,
  certificate,
}: ConnectionOut): ConnectionDraft => ({
  kind,
  name,
  address,
  signIn,
  user: user ?? '',
  secret: '',
  companyN,
  everySec,
  enabled,
  certificate: certificate ?? '',
});

/** Changes the kind, with its sign-in methods and its scope of one or all companies. */
export const withKind = (draft: ConnectionDraft, kind: CollectorKind): ConnectionDraft => ({
  ...draft,
  kind,
  signIn: SIGN_INS_OF[kind].includes(draft.signIn)
    ? draft.signIn
    : (SIGN_INS_OF[kind][0] ?? 'password'),
  companyN: OWNERS_OF[kind] === null ? draft.companyN : null,
});

const WORDS: ErrorLabels = {
  'name': t.nameMissing,
  'address': t.urlInvalid,
  'credentials.name': t.usernameMissing,
  'credentials.secret': t.secretMissing,
  'credentials': t.secretNeeded,
  'companyN': t.companyMissing,
  'certificate': t.certificateInvalid,
};
export const CONNECTION_ERRORS = WORDS;

export const getCredentials = ({ signIn, user, secret }: ConnectionDraft): Credentials =>
  signIn === 'key' ? { kind: 'key', secret } : { kind: signIn, name: user, secret };

type Fields = Omit<InputOf<'editConnection'>, 'id' | 'credentials'>;
const getFields = ({
  name,
  address,
  companyN,
  everySec,
  enabled,
  certificate,
}: ConnectionDraft): Fields => ({
  name,
  address,
  companyN,
  everySec,
  enabled,
  certificate: certificate.trim() === '' ? null : certificate,
});

/**
 * Returns whether the stored secret is kept: none was typed, and host, sign-in method and user name
 * are unchanged.
 */
export const keepsSecret = (draft: ConnectionDraft, stored: ConnectionOut | null): boolean =>
  stored !== null &&
  draft.secret === '' &&
  getOrigin(draft.address) === getOrigin(stored.address) &&
  draft.signIn === stored.signIn &&
  draft.user.trim() === (stored.user ?? '');

function getOrigin(address: string): string {
  try {
    return new URL(address.trim()).origin;
  } catch {
    return '';
  }
}

export type ConnectionInput =
  | { readonly kind: 'make'; readonly input: InputOf<'createConnection'> }
  | { readonly kind: 'edit'; readonly input: InputOf<'editConnection'> };

/** Returns the input to save, and its validation issues. */
export function getConnectionInput(
  draft: ConnectionDraft,
  stored: ConnectionOut | null,
): { readonly sent: ConnectionInput; readonly errors: FormErrors } {
  const credentials = getCredentials(draft);
  const fields = getFields(draft);
  const own: FormErrors = {
    ...(OWNERS_OF[draft.kind] === null && draft.companyN === null
      ? { companyN: WORDS['companyN'] ?? '' }
      : {}),
    ...(draft.address.trim() !== '' && !/^https?:\/\//i.test(draft.address.trim())
      ? { address: WORDS['address'] ?? '' }
      : {}),
  };
  if (stored === null) {
    const input = { kind: draft.kind, ...fields, credentials };
    return {
      sent: { kind: 'make', input },
      errors: { ...findFormErrors(collectorCalls.createConnection.input, input, WORDS), ...own },
    };
  }
  const { _id: id } = stored;
  const input = { id, ...fields, ...(keepsSecret(draft, stored) ? {} : { credentials }) };
  return {
    sent: { kind: 'edit', input },
    errors: { ...findFormErrors(collectorCalls.editConnection.input, input, WORDS), ...own },
  };
}

export const makeConnectionSchema = (
  stored: ConnectionOut | null,
): FormSchema<ConnectionDraft, ConnectionInput> =>
  makeReadingSchema((draft: ConnectionDraft) => {
    const { sent: value, errors } = getConnectionInput(draft, stored);
    return { value, errors };
  });

export const toTestInput = (
  draft: ConnectionDraft,
  stored: ConnectionOut | null,
): InputOf<'testConnection'> => {
  const { address, certificate } = getFields(draft);
  return {
    kind: draft.kind,
    address,
    certificate,
    ...(stored !== null && keepsSecret(draft, stored)
      ? { id: getId(stored) }
      : { credentials: getCredentials(draft) }),
  };
};
