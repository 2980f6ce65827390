import { defineMessages } from '../i18n/messages.ts';

/** Column titles with their units. */
export const csvMessages = defineMessages('csv', {
  withUnit: '{title} ({unit})',
  rangeFrom: '{title} from ({unit})',
  rangeTo: '{title} to ({unit})',
});
