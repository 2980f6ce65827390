import { defineMessages } from '#contract/i18n/messages.ts';

/** Why a connected system couldn't be read. */
export const systemMessages = defineMessages('systems', {
  credentials: "{host} didn't accept the credentials.",
  noToken: '{host} accepted the credentials, but sent no token.',
  noSession: '{host} accepted the credentials, but opened no session.',
  noResult: "{host} didn't say where its result will be.",
  resultFailed: "{host} couldn't prepare the result ({status}).",
  resultLate: '{host} took too long to prepare the result.',
  notJson: "{host} sent a response that isn't valid JSON.",
  badResponse: '{host} sent an unexpected response{path}.',
  fileCut: '{host} sent only part of the file.',
  busy: '{host} is receiving too many requests. Try again later.',
  forbidden: "These credentials aren't allowed to read this on {host}.",
  missing: "{host} doesn't have this.",
  status: '{host} responded with status {status}.',
  statusWith: '{host} responded with status {status}: {message}.',
});
