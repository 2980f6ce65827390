import type { TestedSystem } from '#contract/branding/settings-calls.ts';
import { OutboundError } from '../../platform/outbound/address.ts';
import { describeOutboundError } from '../../platform/outbound/error.ts';
import { loadGateways } from '../../platform/mail/gateways.ts';
import { describeIssuerError, loadIssuer } from '../../platform/outbound/issuer.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { readSecret } from '../../platform/outbound/secret.ts';
import { sendSms } from '../../platform/mail/send-sms.ts';
import type { MailDelivery } from '../../platform/mail/delivery.ts';
import { tryDirectory } from '../auth/directory/active-directory.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { gatewayMessages as t } from './messages.en.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

export interface TestOutcome {
  readonly ok: boolean;
  readonly message: string;
}
interface Addressee {
  readonly email: string | null;
  readonly phone: string | null;
}

const no = (message: string): TestOutcome => ({ ok: false, message });
const notSet = (what: string) => (): Promise<TestOutcome> => Promise.resolve(no(what));

/** Reads the settings, and returns a test to run after the transaction. */
export async function tryGateway(
  tx: TenantTx,
  context: AppContext,
  what: TestedSystem,
  to: Addressee,
): Promise<() => Promise<TestOutcome>> {
  const settings = await loadProviderSettings(tx);
  if (what === 'mail' || what === 'sms') {
    const gateways = await loadGateways(tx, context);
    return what === 'mail'
      ? mailTry(context, gateways.mail, to.email)
      : smsTry(context, gateways.sms, to.phone);
  }
  const secret = await readSecret(tx, context, what);
  if (what === 'directory') {
    const { directory } = settings;
    if (!directory) return notSet(t.noDirectory);
    if (secret === null) return notSet(t.noDirectoryPassword);
    return async () => {
      try {
        const seen = await tryDirectory(context, directory, secret);
        return seen > 0 ? { ok: true, message: t.directoryWorks } : no(t.directoryWithoutUsers);
      } catch (error) {
        return no(describeDirectoryError(error, new URL(directory.url).hostname));
      }
    };
  }
  const { oidc } = settings;
  if (!oidc) return notSet(t.noIssuer);
  return async () => {
    try {
      await loadIssuer(context, { settings: oidc, secret });
      return {
        ok: true,
        message: secret === null ? t.issuerWithoutSecret : t.issuerWorks,
      };
    } catch (error) {
      return no(describeIssuerError(error));
    }
  };
}

type Gateways = Awaited<ReturnType<typeof loadGateways>>;

function mailTry(
  context: AppContext,
  gateway: Gateways['mail'],
  to: string | null,
): () => Promise<TestOutcome> {
  if (!gateway) return notSet(t.noMailServer);
  if (to === null || to === '') return notSet(t.noEmail);
  const mail = {
    to,
    subject: t.mailSubject({ portal: gateway.name }),
    text: t.mail({ portal: gateway.name }),
  };
  return async () =>
    said(
      await sendMail(context, gateway, context.chance.uuid(), mail),
      t.mailSent({ address: to }),
    );
}

function smsTry(
  context: AppContext,
  gateway: Gateways['sms'],
  to: string | null,
): () => Promise<TestOutcome> {
  if (!gateway) return notSet(t.noSmsGateway);
  if (to === null) return notSet(t.noPhone);
  return async () =>
    said(await sendSms(context, gateway, { to, text: t.sms }), t.smsSent({ digits: to.slice(-2) }));
}

const said = (delivery: MailDelivery, done: string): TestOutcome =>
  delivery.kind === 'sent' ? { ok: true, message: done } : no(delivery.error);

const INVALID_CREDENTIALS = 49;
const NO_SUCH_OBJECT = 32;

function describeDirectoryError(error: unknown, host: string): string {
  const { code } = error as { readonly code?: unknown };
  if (error instanceof OutboundError || typeof code !== 'number')
    return describeOutboundError(error, host);
  if (code === INVALID_CREDENTIALS) return t.directoryAccountRefused;
  return code === NO_SUCH_OBJECT ? t.directoryBaseUnknown : t.directoryRefused({ code });
}
