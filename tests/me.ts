import type { Me, SignedInUser } from '#contract/auth/current-user.ts';

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
  impersonator: null,
};

/** The user as the answer to a sign-in has it. */
export const signedInAs = (me: Me): SignedInUser => ({
  ...me,
  sso: Object.fromEntries(me.sso.map((system) => [system, { enabled: true }])),
  emailVerified: true,
  emailLinkUntil: null,
  acl: me.roles.map((role) => ({ role })),
  theme: {},
  mobilePhone: '+15550100200',
  officePhone: null,
  landingApp: null,
  ackO365TermsOfUse: me.acceptedTerms,
  hasOrganizations: false,
  hasJobs: true,
  notifications: [],
  stripe: null,
  securityQuestions: [],
  passwordAt: null,
});
