import { uiMessages as t } from './messages.en.ts';

/** Says what the mark means, above a form in which some fields have it. */
export const RequiredNote = () => (
  <p className="m-0 text-agate text-ink-3">
    <span aria-hidden className="font-semibold text-failed">
      *{' '}
    </span>
    <span className="sr-only">{t.requiredFields}</span>
    <span aria-hidden>{t.required}</span>
  </p>
);
