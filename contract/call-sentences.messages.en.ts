import { defineMessages } from './i18n/messages.ts';

/**
 * Failures of calls that the specification's catalog leaves out, in sentences of the same pattern.
 */
export const callFailureMessages = defineMessages('callFailures', {
  getProfile: 'Error while trying to get the profile, try again later.',
  getSessions: 'Error while trying to get the sessions, try again later.',
  getSignInMethods: 'Error while trying to get the sign-in methods, try again later.',
  getApiKeys: 'Error while trying to get the API keys, try again later.',
  getNotificationSettings: 'Error while trying to get the notification settings, try again later.',
  getNotifications: 'Error while trying to get the notifications, try again later.',
  getEvidence: 'Error while trying to get the evidence, try again later.',
  getSearchResults: 'Error while trying to get the search results, try again later.',
  getSources: 'Error while trying to get the sources, try again later.',
  getHints: 'Error while trying to get the hints, try again later.',
  getSlaAlarms: 'Error while trying to get the SLA alarms, try again later.',
  getTicketingSettings: 'Error while trying to get the ticketing settings, try again later.',
  getCompanyMappings: 'Error while trying to get the company mappings, try again later.',
  getContacts: 'Error while trying to get the contacts, try again later.',
  getMembers: 'Error while trying to get the members, try again later.',
  getAccounts: 'Error while trying to get the accounts, try again later.',
  getCustomers: 'Error while trying to get the customers, try again later.',
  getQuickBooksConnection: 'Error while trying to get the QuickBooks connection, try again later.',
  getDeliveries: 'Error while trying to get the deliveries, try again later.',
  getEvents: 'Error while trying to get the events, try again later.',
  getNotices: 'Error while trying to get the notices, try again later.',
  getBranding: 'Error while trying to get the branding, try again later.',
  getProviderSettings: 'Error while trying to get the provider settings, try again later.',
  saveNotificationSettings: 'Error while saving the notification settings. Try again later.',
  createHint: 'Error while creating the hint. Try again later.',
  editHint: 'Error while editing the hint. Try again later.',
  deleteHint: 'Error while deleting the hint. Try again later.',
  saveFeedback: 'Error while saving the feedback. Try again later.',
  editRule: 'Error while editing the rule. Try again later.',
  deleteRule: 'Error while deleting the rule. Try again later.',
});
