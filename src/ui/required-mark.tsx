/**
 * Mark beside the label of a required field. Screen readers use the field's `aria-required`
 * instead.
 */
export const RequiredMark = () => (
  <span aria-hidden className="pl-1 font-semibold text-failed">
    *
  </span>
);
