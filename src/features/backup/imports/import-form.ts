import type { InputOf, OutputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { importMessages as t } from './messages.en.ts';

export type ImapServerInput = InputOf<'testImapServer'>['server'];
type Import = OutputOf<'getImport'>;

export interface ImportForm {
  readonly source: 'archive' | 'files' | 'imap' | 'webdav';
  readonly organizationId: string;
  readonly repositoryId: string;
  /** Empty: a new one. */
  readonly mailboxId: string;
  readonly mailboxName: string;
  readonly file: File | null;
  /** Of a folder on a WebDAV server. */
  readonly url: string;
  readonly host: string;
  readonly port: string;
  readonly security: ImapServerInput['security'];
  readonly username: string;
  readonly password: string;
  /** PEM; empty: public authorities are trusted. */
  readonly certificate: string;
}

type ImportFormInput =
  | { readonly call: 'createImport'; readonly input: InputOf<'createImport'> }
  | { readonly call: 'createImapImport'; readonly input: InputOf<'createImapImport'> }
  | { readonly call: 'createWebdavImport'; readonly input: InputOf<'createWebdavImport'> };

type Errors = Readonly<Partial<Record<keyof ImportForm, string>>>;

/** The usual port of each way to connect. */
const USUAL_PORTS: Readonly<Record<ImapServerInput['security'], string>> = {
  tls: '993',
  starttls: '143',
  none: '143',
};

/** `again`: an earlier import of a mailbox that is imported again. */
export const makeImportForm = (
  organizationId: string,
  repositoryId: string,
  again: Import | null,
): ImportForm => ({
  source: again?.account?.kind ?? 'archive',
  organizationId: again?.organizationId ?? organizationId,
  repositoryId: again?.repositoryId ?? repositoryId,
  mailboxId: again?.mailboxId ?? '',
  mailboxName: '',
  file: null,
  url: again?.account?.kind === 'webdav' ? again.account.url : '',
  ...(again?.account?.kind === 'imap'
    ? {
        host: again.account.host,
        port: String(again.account.port),
        security: again.account.security,
      }
    : { host: '', port: USUAL_PORTS.tls, security: 'tls' }),
  username: again?.account?.username ?? '',
  password: '',
  certificate: again?.account?.certificate ?? '',
});

/** Returns another security with its usual port, unless somebody chose a port. */
export const withSecurity = (
  { security, port }: Pick<ImportForm, 'security' | 'port'>,
  next: ImapServerInput['security'],
): Pick<ImportForm, 'security' | 'port'> => ({
  security: next,
  port: port === USUAL_PORTS[security] ? USUAL_PORTS[next] : port,
});

/** Returns the call that creates the import, or what is wrong with the form. */
export function readImportForm(form: ImportForm): {
  readonly value: ImportFormInput | null;
  readonly errors: Errors;
} {
  const { organizationId, repositoryId, mailboxId, mailboxName, file } = form;
  const name = mailboxName.trim();
  const errors = {
    ...(form.source === 'archive' || form.source === 'files'
      ? findFileError(file)
      : findServerErrors(form)),
    ...(organizationId === '' && { organizationId: t.organizationMissing }),
    ...(repositoryId === '' && { repositoryId: t.repositoryMissing }),
    ...(mailboxId === '' && name === '' && { mailboxName: t.mailboxNameMissing }),
  };
  if (Object.keys(errors).length > 0) return { value: null, errors };
  const common = {
    organizationId,
    repositoryId,
    mailbox: mailboxId === '' ? { name: name.slice(0, MAX_NAME_CHARS) } : { id: mailboxId },
  };
  if (form.source === 'imap')
    return {
      value: { call: 'createImapImport', input: { ...common, server: readServer(form) } },
      errors,
    };
  if (form.source === 'webdav')
    return {
      value: {
        call: 'createWebdavImport',
        input: {
          ...common,
          server: { url: form.url.trim(), ...readCredentials(form) },
        },
      },
      errors,
    };
  if (file === null) return { value: null, errors };
  const archive = {
    name: file.name.slice(-MAX_NAME_CHARS),
    bytes: file.size,
    content: form.source === 'files' ? ('files' as const) : ('mail' as const),
  };
  return { value: { call: 'createImport', input: { ...common, ...archive } }, errors };
}
const MAX_NAME_CHARS = 200;

function findFileError(file: File | null): Errors {
  if (file === null) return { file: t.archiveMissing };
  if (file.size === 0) return { file: t.archiveEmpty };
  return file.size > LIMITS.importBytes ? { file: t.archiveTooLarge } : {};
}

function findServerErrors(form: ImportForm): Errors {
  return {
    ...(form.source === 'imap' ? findImapErrors(form) : findUrlError(form)),
    ...(form.username.trim() === '' && { username: t.usernameMissing }),
    ...(form.password === '' && { password: t.passwordMissing }),
  };
}

function findUrlError({ url }: ImportForm): Errors {
  const typed = url.trim();
  if (typed === '') return { url: t.urlMissing };
  return /^https?:\/\/[^\s@?#]+$/i.test(typed) && URL.canParse(typed) ? {} : { url: t.urlInvalid };
}

function findImapErrors({ host, port }: ImportForm): Errors {
  return {
    ...(host.trim() === ''
      ? { host: t.hostMissing }
      : !/^[\w.:-]{1,253}$/.test(host.trim()) && { host: t.hostInvalid }),
    ...(!(/^\d{1,5}$/.test(port.trim()) && Number(port) >= 1 && Number(port) <= 65_535) && {
      port: t.portInvalid,
    }),
  };
}

const readCredentials = (
  form: ImportForm,
): Pick<ImapServerInput, 'username' | 'password' | 'certificate'> => ({
  username: form.username.trim(),
  password: form.password,
  certificate: form.certificate.trim() === '' ? null : form.certificate,
});

const readServer = (form: ImportForm): ImapServerInput => ({
  host: form.host.trim(),
  port: Number(form.port),
  security: form.security,
  ...readCredentials(form),
});
