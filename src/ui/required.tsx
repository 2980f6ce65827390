/**
 * Beside the label of a field that must be filled. Screen readers hear it from the field itself
 * (`aria-required`), not from the mark.
 */
export const RequiredMark = () => (
  <span aria-hidden className="pl-1 font-semibold text-failed">
    *
  </span>
);

/** Says what the mark means, above a form in which some fields have it. */
export const RequiredNote = () => (
  <p className="m-0 text-agate text-ink-3">
    <span aria-hidden className="font-semibold text-failed">
      *{' '}
    </span>
    <span className="sr-only">Fields with an asterisk are </span>Required
  </p>
);
