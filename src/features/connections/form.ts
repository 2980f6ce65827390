import type { InputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import {
  COLLECTOR_KINDS,
  type CollectorKind,
  SIGN_INS_OF,
  type SignIn,
} from '#contract/connections/connection.ts';
import {
  collectorCalls,
  type ConnectionOut,
  type Credentials,
} from '#contract/connections/calls.ts';
import { type FormErrors, findFormErrors, type ErrorLabels } from '#src/ui/form-errors.ts';

/**
 * A connection as it is typed. `companyN` empty: none. An empty secret keeps the one that is kept.
 */
export interface Draft {
  readonly kind: CollectorKind;
  readonly name: string;
  readonly address: string;
  readonly signIn: SignIn;
  readonly user: string;
  readonly secret: string;
  readonly companyN: CompanyN | null;
  readonly everySec: number;
  readonly enabled: boolean;
  readonly certificate: string;
}

export const KIND_WORDS: Readonly<
  Record<
    CollectorKind,
    { readonly name: string; readonly detail: string; readonly address: string }
  >
> = {
  vspc: {
    name: 'Service Provider Console',
    detail: 'Veeam’s console: all companies, servers and agents',
    address: 'https://vspc.example.com:1280',
  },
  vbr: {
    name: 'Backup & Replication',
    detail: 'One Veeam backup server of one company',
    address: 'https://vbr.example.com:9419',
  },
  zerto: {
    name: 'Zerto',
    detail: 'Protection groups of one Virtual Manager',
    address: 'https://zvm.example.com',
  },
};
export const KINDS = COLLECTOR_KINDS;

export const SIGN_IN_WORDS: Readonly<
  Record<SignIn, { readonly choice: string; readonly user: string; readonly secret: string }>
> = {
  key: { choice: 'API key', user: '', secret: 'API key' },
  password: { choice: 'User name and password', user: 'User name', secret: 'Password' },
  client: { choice: 'Client id and secret', user: 'Client id', secret: 'Client secret' },
};

/** How often, in seconds. */
export const EVERY: readonly (readonly [sec: number, word: string])[] = [
  [60, 'Every minute'],
  [300, 'Every 5 minutes'],
  [900, 'Every 15 minutes'],
  [1_800, 'Every 30 minutes'],
  [3_600, 'Every hour'],
  [14_400, 'Every 4 hours'],
];
/** One that was set by another program is one more choice. */
export const everyChoices = (now: number): readonly (readonly [sec: number, word: string])[] =>
  EVERY.some(([sec]) => sec === now)
    ? EVERY
    : [...EVERY, [now, `Every ${now} seconds`] as const].toSorted(([a], [b]) => a - b);

export const NEW: Draft = {
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

export const draftOf = ({
  kind,
  name,
  address,
  signIn,
  user,
  companyN,
  everySec,
  enabled,
  certificate,
}: ConnectionOut): Draft => ({
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

/** Another kind has other ways to sign in, and belongs to one company or to all. */
export const withKind = (draft: Draft, kind: CollectorKind): Draft => ({
  ...draft,
  kind,
  signIn: SIGN_INS_OF[kind].includes(draft.signIn)
    ? draft.signIn
    : (SIGN_INS_OF[kind][0] ?? 'password'),
  companyN: kind === 'vspc' ? null : draft.companyN,
});

const WORDS: ErrorLabels = {
  'name': 'Give it a name.',
  'address': 'Give an address that begins with https://, with its port.',
  'credentials.name': 'Type the name.',
  'credentials.secret': 'Type the secret.',
  'credentials': 'Type the secret: none is kept for this address.',
  'companyN': 'Choose the company whose results these are.',
  'certificate': 'This is not a certificate in PEM form.',
};
export const FAULT_WORDS = WORDS;

export const credentialsOf = ({ signIn, user, secret }: Draft): Credentials =>
  signIn === 'key' ? { is: 'key', secret } : { is: signIn, name: user, secret };

type Fields = Omit<InputOf<'editConnection'>, 'id' | 'credentials'>;
const fieldsOf = ({ name, address, companyN, everySec, enabled, certificate }: Draft): Fields => ({
  name,
  address,
  companyN,
  everySec,
  enabled,
  certificate: certificate.trim() === '' ? null : certificate,
});

/**
 * Whether the kept secret goes on: nothing was typed, and neither the address nor the way to sign
 * in is another.
 */
export const keepsSecret = (draft: Draft, kept: ConnectionOut | null): boolean =>
  kept !== null &&
  draft.secret === '' &&
  originOf(draft.address) === originOf(kept.address) &&
  draft.signIn === kept.signIn &&
  draft.user.trim() === (kept.user ?? '');

function originOf(address: string): string {
  try {
    return new URL(address.trim()).origin;
  } catch {
    return '';
  }
}

export type Input =
  | { readonly is: 'make'; readonly input: InputOf<'makeConnection'> }
  | { readonly is: 'edit'; readonly input: InputOf<'editConnection'> };

/** What is sent to keep it, and what of it would be refused. */
export function inputOf(
  draft: Draft,
  kept: ConnectionOut | null,
): { readonly sent: Input; readonly faults: FormErrors } {
  const credentials = credentialsOf(draft);
  const fields = fieldsOf(draft);
  const own: FormErrors = {
    ...(draft.kind !== 'vspc' && draft.companyN === null
      ? { companyN: WORDS['companyN'] ?? '' }
      : {}),
    ...(draft.address.trim() !== '' && !/^https?:\/\//i.test(draft.address.trim())
      ? { address: WORDS['address'] ?? '' }
      : {}),
  };
  if (kept === null) {
    const input = { kind: draft.kind, ...fields, credentials };
    return {
      sent: { is: 'make', input },
      faults: { ...findFormErrors(collectorCalls.makeConnection.input, input, WORDS), ...own },
    };
  }
  const { _id: id } = kept;
  const input = { id, ...fields, ...(keepsSecret(draft, kept) ? {} : { credentials }) };
  return {
    sent: { is: 'edit', input },
    faults: { ...findFormErrors(collectorCalls.editConnection.input, input, WORDS), ...own },
  };
}

export const testOf = (draft: Draft, kept: ConnectionOut | null): InputOf<'testConnection'> => {
  const { address, certificate } = fieldsOf(draft);
  return {
    kind: draft.kind,
    address,
    certificate,
    ...(kept !== null && keepsSecret(draft, kept)
      ? { id: idOf(kept) }
      : { credentials: credentialsOf(draft) }),
  };
};

export const idOf = ({ _id }: { readonly _id: string }): string => _id;
