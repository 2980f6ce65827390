import { defineMessages } from '#contract/i18n/messages.ts';

/** Emails about accounts that every feature may cause. Each text is a paragraph. */
export const accountMailMessages = defineMessages('account-mail', {
  hello: 'Hello {name},',
  help: 'Need help? Contact {contact}.',
  apiKeysSubject: 'API keys of your account at {portal}',
  apiKeyRevoked: 'You revoked the API key "{name}".',
  apiKeyRevokedByAdmin: 'An administrator revoked your API key "{name}".',
  apiKeysEnded:
    'Your sign-in was reset, so we revoked all your API keys. Create new keys for the programs that used them.',
  notYouApiKeys: "If this wasn't you, sign in, review your API keys, and change your password.",
  confirmSubject: 'Confirm your email address for {portal}',
  confirmAddress:
    'Someone entered this address for an account at {portal}. If the account is yours, confirm the address within 24 hours:',
  confirmNotYours:
    "The link works once. If the account isn't yours, ignore this email and the address stays unconfirmed.",
});
