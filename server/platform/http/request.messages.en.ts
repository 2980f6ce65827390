import { defineMessages } from '#contract/i18n/messages.ts';

/** What is wrong with a request, at its field. */
export const requestMessages = defineMessages('requests', {
  incomplete: 'The body is incomplete.',
  contentType: 'The content type must be application/json.',
  notJson: 'The body is not JSON in UTF-8.',
  notObject: 'The body must be a JSON object.',
  tooDeep: 'The body is nested too deeply.',
  fieldName: 'A field has a name that is not allowed.',
  uuid: 'Expected a UUID.',
  wholeNumber: 'Expected a whole number from 1.',
  noQuery: 'This call has no query parameters.',
  notThePath: 'Must equal the value in the address, or be left out.',
  twice: 'Given more than once.',
  unknownField: 'Unknown field.',
  missing: 'Missing.',
  notValid: 'Not valid.',
  commandRunning: 'This command is running already. Try again in a moment.',
  expected: 'Expected {what}.',
  unreadable: "The address or the host can't be read.",
});
