import type {
  LicensingLine,
  LicensingUnit,
  OwnWorkload,
} from '#contract/billing/licensing-calls.ts';
import { formatTag } from '#contract/i18n/messages.ts';
import type { InvoiceState, Mills } from '#contract/billing/invoice.ts';
import { MILLS } from '#contract/billing/invoice.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { billingMessages as t } from './billing.messages.en.ts';

/** A state is always icon, word and color. */
export const INVOICE_WORDS: Readonly<
  Record<InvoiceState, { readonly label: string; readonly icon: IconName; readonly text: string }>
> = {
  open: { label: t.open, icon: 'clock', text: 'text-running' },
  overdue: { label: t.overdue, icon: 'warning', text: 'text-warning' },
  paid: { label: t.paid, icon: 'success', text: 'text-success' },
  voided: { label: t.voided, icon: 'missed', text: 'text-missed' },
};

const formats = new Map<string, Intl.NumberFormat>();
/**
 * `$1,234.50`; for an unknown currency, `1,234.50 ABC`. Fractions below the currency's smallest
 * unit are shown if there are any.
 */
export function moneyWords(mills: Mills, currency: string): string {
  const usual = getFormat(currency, false);
  const { maximumFractionDigits: digits = 2, style } = usual.resolvedOptions();
  const words = (
    mills % 10 ** Math.max(0, 3 - digits) === 0 ? usual : getFormat(currency, true)
  ).format(mills / MILLS);
  return style === 'currency' ? words : `${words} ${currency}`;
}

function getFormat(currency: string, exact: boolean): Intl.NumberFormat {
  const tag = formatTag();
  const key = `${tag} ${currency} ${exact}`;
  const known = formats.get(key);
  const digits = exact ? { minimumFractionDigits: 2, maximumFractionDigits: 3 } : {};
  if (known !== undefined) return known;
  let made: Intl.NumberFormat;
  try {
    made = new Intl.NumberFormat(tag, { style: 'currency', currency, ...digits });
  } catch {
    made = new Intl.NumberFormat(tag, {
      minimumFractionDigits: 2,
      maximumFractionDigits: exact ? 3 : 2,
    });
  }
  formats.set(key, made);
  return made;
}

const PRODUCTS: Readonly<Record<string, string>> = {
  BackupAndReplication: t.veeamBackupReplication,
  CloudConnect: t.veeamCloudConnect,
  VB365: t.veeamBackupForMicrosoft365,
  VONE: t.veeamOne,
  VSPC: t.veeamSpc,
  Daybook: t.monitoredHere,
  Unknown: t.unknownProduct,
};
/** Returns the display name of a product, or the source's own name if it is unknown. */
export const productWords = (product: string): string => PRODUCTS[product] ?? product;

export const UNIT_WORDS: Readonly<Record<LicensingUnit, string>> = {
  Computers: t.computers,
  Jobs: t.jobs,
  Points: t.points,
  Instances: t.instances,
  Users: t.users,
};

const WORKLOADS: Readonly<Record<OwnWorkload, string>> = {
  'Servers': t.servers,
  'Agents, managed': t.managedAgents,
  'Agents, monitored': t.monitoredAgents,
  'Microsoft 365': t.microsoft365,
  'Public cloud VMs': t.publicCloudVms,
  'File shares': t.fileShares,
  'Other': t.other,
};
/** Returns the label of a workload that the portal counts itself, or the source's own name. */
export const workloadWords = ({
  product,
  workload,
}: Pick<LicensingLine, 'product' | 'workload'>): string =>
  (product === 'Daybook' && Object.entries(WORKLOADS).find(([name]) => name === workload)?.[1]) ||
  workload;
