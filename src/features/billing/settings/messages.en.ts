import { defineMessages } from '#contract/i18n/messages.ts';

/** How a provider sells Microsoft 365 backup. */
export const billingSettingsMessages = defineMessages('billing-settings', {
  title: 'Billing settings',
  prices: 'Prices',
  pricesHint:
    'What each service level costs per month. Subscriptions keep their prices until their level changes.',
  currency: 'Currency',
  userPriceOf: '{level}: price per user and month',
  gigabytePriceOf: '{level}: price per gigabyte and month',
  amountInvalid: 'Enter an amount with up to two decimals.',
  superAdminsOnly: 'Only for super-admins',
  periods: 'Trial and grace period',
  periodsHint:
    'Backups stop when the grace period after a failed payment is over. Restores never stop.',
  trialDays: 'Trial (days)',
  graceDays: 'Grace period (days)',
  daysInvalid: 'Enter a whole number of days, up to {max}.',
  saved: 'Billing settings saved',
  deletedCompanies: 'Deleted companies',
  deletedHint: 'Companies can be restored for 30 days, with their users and their subscription.',
  noneDeleted: 'No company was deleted in the last 30 days.',
  deletedOn: 'Deleted on {when}. Can be restored until {until}.',
  restore: 'Restore',
  restoreOf: 'Restore {company}',
  restored: '{company} was restored.',
});
