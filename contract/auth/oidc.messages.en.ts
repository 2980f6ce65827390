import { defineMessages } from '../i18n/messages.ts';

/** Why a sign-in with OpenID Connect failed. */
export const oidcMessages = defineMessages('oidc', {
  off: "This sign-in method isn't set up.",
  issuer: "The sign-in service can't be reached. Try again later.",
  often: 'Too many attempts. Wait a moment and try again.',
  over: 'This sign-in has expired. Start again.',
  denied: 'The sign-in was canceled, or the sign-in service refused it.',
  answer: "The sign-in service's response isn't valid. Start again.",
  unverified: "The sign-in service doesn't confirm your email address. Ask your administrator.",
  unknown: "You don't have an account here. Ask your administrator.",
});
