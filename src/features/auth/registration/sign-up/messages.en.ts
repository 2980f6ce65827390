import { defineMessages } from '#contract/i18n/messages.ts';

/** Sign-up of new customers. */
export const signUpMessages = defineMessages('sign-up', {
  title: 'Start with Microsoft 365 backup',
  description: 'Create an account at {portal}.',
  company: 'Company',
  companyMissing: 'Enter the name of your company.',
  level: 'Service level',
  levelMissing: 'Select a service level.',
  register: 'Register',
  emailMissing: 'Enter an email address.',
  checkEmail: 'Check your email',
  sent: 'We sent a link to {email}. Open it to go on. It works for seven days.',
  resend: 'Send the email again',
  resent: 'We sent the email again.',
  opening: 'Opening your registration…',
  over: 'This link is no longer valid. Register again, or use the newest email.',
  again: 'Register again',
  captcha: 'Confirm that you are human',
  captchaFrame: 'reCAPTCHA',
  pay: 'Payment',
  payHint:
    '{company} is registered. The payment is on the pages of Stripe; no card is stored here.',
  free: '{company} is registered. This service level is free.',
  toPayment: 'Continue to payment',
  create: 'Create account',
  paying: 'Waiting for the payment',
  payingHint:
    'We are waiting for the confirmation of your payment. This page updates automatically.',
  openPayment: 'Open the payment page again',
  ready: 'Your account is ready',
  readyHint: 'Sign in with {email} and the password that you chose.',
  signIn: 'Sign in',
});
