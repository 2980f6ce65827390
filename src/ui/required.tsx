import { uiMessages as t } from './messages.en.ts';

/** Explains the mark, above a form with required and optional fields. */
export const RequiredNote = () => (
  <p className="m-0 text-agate text-ink-3">
    <span aria-hidden className="font-semibold text-failed">
      *{' '}
    </span>
    <span className="sr-only">{t.requiredFields}</span>
    <span aria-hidden>{t.required}</span>
  </p>
);
