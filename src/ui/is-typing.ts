/**
 * Returns whether a key belongs to a text field or to the browser. One-letter shortcuts must ignore
 * it.
 */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const at = event.target;
  return (
    at instanceof HTMLElement &&
    (at.isContentEditable ||
      at.matches('input:not([type=checkbox], [type=radio], [type=button]), textarea, select') ||
      at.closest('[role=dialog], [role=menu], [role=listbox]') !== null)
  );
}
