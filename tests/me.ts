import type { Me } from '#contract/auth/current-user.ts';

/** What is nothing special of a user. */
export const PLAIN: Omit<
  Me,
  'id' | 'username' | 'name' | 'email' | 'roles' | 'companies' | 'serviceProviderId'
> = {
  masterServiceProviderId: null,
  auth: 'db',
  passwordReset: false,
  forceSecurityQuestions: false,
  acceptedTerms: false,
  landingPage: null,
  managedFilterType: null,
  sso: [],
  language: null,
  timeZone: null,
  acting: null,
};
