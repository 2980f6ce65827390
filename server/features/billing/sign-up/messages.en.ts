import { defineMessages } from '#contract/i18n/messages.ts';

/** Emails to new customers. Each text is a paragraph. */
export const signUpMailMessages = defineMessages('sign-up-mail', {
  subject: 'Your registration at {portal}',
  hello: 'Hello,',
  verify:
    'Confirm your email address to go on with your registration at {portal}. The link works for seven days:',
  known: 'You already have an account at {portal}. Sign in, or reset your password there:',
  ignore: "If you didn't expect this email, you can ignore it.",
});
