/** The id of a user, a company or a line, as the API calls it. */
export const idOf = ({ _id: id }: { readonly _id: string }): string => id;

/** Whether something is the one of an id; nothing is not. */
export const isThe = (
  id: string | null,
  one: { readonly _id: string } | null | undefined,
): boolean => one != null && idOf(one) === id;
