import { setupI18n } from '@lingui/core';
import type { I18n } from '@lingui/core';
import { setFormatter } from './compiled.ts';

/**
 * Formats plurals, choices, numbers and dates in texts with Lingui, which uses the runtime's
 * `Intl`.
 */
const instances = new Map<string, I18n>();

setFormatter((tag, id, message, values) => {
  let i18n = instances.get(tag);
  if (!i18n) {
    i18n = setupI18n({ locale: tag, messages: { [tag]: {} } });
    instances.set(tag, i18n);
  }
  if (!(id in i18n.messages)) i18n.load(tag, { [id]: message as never });
  return i18n._(id, { ...values });
});
