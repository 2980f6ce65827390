/**
 * Beside the label of a field that must be filled. Screen readers hear it from the field itself
 * (`aria-required`), not from the mark.
 */
export const RequiredMark = () => (
  <span aria-hidden className="pl-1 font-semibold text-failed">
    *
  </span>
);
