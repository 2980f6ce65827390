import type { TenantTx } from '../store/store.ts';
import type { AppContext } from '../world.ts';
import type { MailGateway } from './mail.ts';
import { secretOf } from './secret.ts';
import type { SmsGateway } from './sms.ts';

/** Null: this provider has not set it, or not wholly. */
export interface Gateways {
  readonly mail: MailGateway | null;
  readonly sms: SmsGateway | null;
}

export async function gatewaysOf(tx: TenantTx, world: AppContext): Promise<Gateways> {
  const {
    settings: { mail, sms },
    branding: { name },
  } = await tx.sql
    .selectFrom('provider')
    .select(['settings', 'branding'])
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow();
  const password = mail && mail.username !== null ? await secretOf(tx, world, 'mail') : null;
  const token = sms ? await secretOf(tx, world, 'sms') : null;
  return {
    mail:
      mail && (mail.username === null || password !== null)
        ? { settings: mail, password, name }
        : null,
    sms: sms && token !== null ? { settings: sms, token } : null,
  };
}
